import SegueCore
import Testing

@testable import SegueEngine

/// The window in which a device can be paired, in the engine.
@Suite struct PairingWindowTests {
  /// A device whose user pairs.
  private struct Desk {
    var engine: Engine
    var now: UInt64 = 1_000
    var request: RequestID = 0
    let crypto = TestCrypto(1)

    init() {
      engine = Engine(
        EngineSettings(device: TestCrypto(1).device, deviceName: "desk", boot: "boot", crypto: TestCrypto(1)),
        at: Moment(instant: 1_000, seconds: 1_800_000_000, microseconds: 0))
    }

    var moment: Moment { Moment(instant: Instant(milliseconds: now), seconds: 1_800_000_000, microseconds: 0) }

    mutating func handle(_ event: Event) -> [PairingEffect] {
      engine.handle(event, at: moment).compactMap { if case .pairing(let effect) = $0 { effect } else { nil } }
    }

    /// Does what the user does; the error that it is answered with.
    mutating func call(_ call: Event.PairingCall) -> SegueError? {
      request += 1
      let effects = engine.handle(.control(request, .pairing(call)), at: moment)
      guard case .failed(let error)? = effects.reply(request) else { return nil }
      return error
    }

    mutating func pass(_ time: UInt64) {
      now += time
      _ = handle(.time)
    }

    /// A device that dials and types nothing but nonsense.
    mutating func guess(_ connection: PairingConnection) {
      let other = TestCrypto(2)
      let nonce = other.random(32)
      let commitment = PairingAgreement.commitment(key: [2], otherKey: [1], nonce: nonce, other)
      _ = handle(.pairing(.connected(connection, .other, key: [1], otherKey: [2])))
      send(.begin(commitment: commitment, name: "lap"), connection)
      send(.reveal(nonce, proof: nil), connection)
      _ = call(.type("wrong"))
    }

    mutating func send(_ message: PairingMessage, _ connection: PairingConnection) {
      _ = handle(.pairing(.received(connection, (try? message.encode()) ?? [])))
    }
  }

  private func isOpen(_ desk: Desk) -> Bool { if case .open = desk.engine.pairingState { true } else { false } }

  @Test func attack13_nothingIsAskedWithoutAWindow() {
    var desk = Desk()
    let effects = desk.handle(.pairing(.connected(1, .other, key: [1], otherKey: [2])))
    #expect(effects == [.close(1)] && desk.engine.pairingState == .closed)
  }

  @Test func aWindowClosesByItself() {
    var desk = Desk()
    #expect(desk.call(.open(PairingWish())) == nil)
    desk.pass(Limits.pairingWindowTime - 1)
    #expect(isOpen(desk))
    #expect(desk.call(.renew) == nil)
    desk.pass(Limits.pairingWindowTime - 1)
    #expect(isOpen(desk))
    desk.pass(1)
    guard case .failed(let error, nil) = desk.engine.pairingState, error.code == .remoteApplicationTimedOut else {
      Issue.record("\(desk.engine.pairingState)")
      return
    }
    #expect(desk.call(.renew)?.code == .notFound)
  }

  @Test func aCodeIsGoodForItsTimeOnly() throws {
    var desk = Desk()
    #expect(desk.call(.open(PairingWish(showsCode: true))) == nil)
    guard case .open(let code?) = desk.engine.pairingState else { throw Failure([]) }
    #expect(code.expires == 1_800_000_000 + Limits.pairingCodeTime / 1000)
    desk.pass(Limits.pairingCodeTime - 1)
    #expect(isOpen(desk))
    #expect(desk.call(.renew) == nil)
    desk.pass(1)
    #expect(!isOpen(desk))
    var own = Desk()
    #expect(own.call(.open(PairingWish(code: code)))?.code == .invalidArgument)
  }

  @Test func attack12_afterThreeWrongTriesNobodyPairsForAMinute() {
    var desk = Desk()
    for number in 1...Limits.pairingFailures {
      #expect(desk.call(.open(PairingWish())) == nil)
      desk.guess(UInt64(number))
      // One try in a window.
      #expect(!isOpen(desk))
    }
    desk.pass(Limits.pairingPause - 1)
    #expect(desk.call(.open(PairingWish()))?.code == .limitExceeded)
    desk.pass(1)
    #expect(desk.call(.open(PairingWish())) == nil)
  }

  @Test func attack12_aSecondSessionIsRefused() throws {
    var desk = Desk()
    #expect(desk.call(.open(PairingWish())) == nil)
    _ = desk.handle(.pairing(.connected(1, .other, key: [1], otherKey: [2])))
    let effects = desk.handle(.pairing(.connected(2, .other, key: [1], otherKey: [3])))
    #expect(effects == [.send(2, try PairingMessage.refused(.limitExceeded).encode()), .close(2)])
  }

  /// Of connections that cross, the device with the smaller key says something on the first only, the other on all that
  /// it has dialled.
  @Test func ofConnectionsThatCrossOneDeviceChooses() throws {
    for chooses in [true, false] {
      let keys: (own: [UInt8], other: [UInt8]) = chooses ? ([1], [2]) : ([2], [1])
      var desk = Desk()
      #expect(desk.call(.open(PairingWish())) == nil)
      _ = desk.handle(.pairing(.connected(1, .other, key: keys.own, otherKey: keys.other)))
      let effects = desk.handle(.pairing(.connected(2, .dialler, key: keys.own, otherKey: keys.other)))
      #expect(effects.contains { if case .send(2, _) = $0 { true } else { false } } == !chooses)
      // On the first something is said, and the second is closed.
      desk.send(.begin(commitment: [UInt8](repeating: 1, count: 32), name: "lap"), 1)
      let late = desk.handle(.pairing(.connected(3, .dialler, key: keys.own, otherKey: keys.other)))
      #expect(late == [.send(3, try PairingMessage.refused(.limitExceeded).encode()), .close(3)])
    }
  }

  @Test func attack12_manyConnectionsOfOneDeviceAreBounded() throws {
    var desk = Desk()
    #expect(desk.call(.open(PairingWish())) == nil)
    for number in 1...UInt64(Limits.pairingConnections) {
      #expect(desk.handle(.pairing(.connected(number, .other, key: [1], otherKey: [2]))) == [])
    }
    let one = UInt64(Limits.pairingConnections + 1)
    let effects = desk.handle(.pairing(.connected(one, .other, key: [1], otherKey: [2])))
    #expect(effects == [.send(one, try PairingMessage.refused(.limitExceeded).encode()), .close(one)])
  }

  @Test func whoTellsNothingDoesNotTakeTheWindowAway() {
    var desk = Desk()
    #expect(desk.call(.open(PairingWish())) == nil)
    _ = desk.handle(.pairing(.connected(1, .other, key: [1], otherKey: [2])))
    _ = desk.handle(.pairing(.closed(1)))
    #expect(isOpen(desk))
    _ = desk.handle(.pairing(.connected(2, .other, key: [1], otherKey: [2])))
    _ = desk.handle(.pairing(.received(2, [0xff])))
    #expect(isOpen(desk))
  }

  @Test func anAddressThatDoesNotAnswerIsSaid() {
    var desk = Desk()
    let address = LinkAddress(host: "192.0.2.7", port: 4711)
    let opened = desk.engine.handle(
      .control(9, .pairing(.open(PairingWish(addresses: [address])))), at: desk.moment)
    #expect(opened.contains { if case .pairing(.dial([address])) = $0 { true } else { false } })
    let error = SegueError(.connectionUnavailable, "Nobody answers.")
    _ = desk.handle(.pairing(.notReached(error)))
    #expect(desk.engine.pairingState == .failed(error, remembered: nil))
  }

  @Test func addressesThatDoNotAnswerAreNothingToWhoIsConnected() {
    var desk = Desk()
    let address = LinkAddress(host: "192.0.2.7", port: 4711)
    #expect(desk.call(.open(PairingWish(addresses: [address]))) == nil)
    _ = desk.handle(.pairing(.connected(1, .other, key: [1], otherKey: [2])))
    #expect(desk.handle(.pairing(.notReached(SegueError(.connectionUnavailable, "Nobody answers.")))) == [])
    #expect(desk.engine.pairingState == .reaching)
    // The end of the connection is then the end of it all.
    #expect(desk.handle(.pairing(.closed(1))).contains(.open(false)))
    guard case .failed = desk.engine.pairingState else {
      Issue.record("\(desk.engine.pairingState)")
      return
    }
  }

  @Test func whatIsFoundIsDialledWhileNobodyElsePairs() {
    var desk = Desk()
    let address = LinkAddress(host: "192.0.2.7", port: 4711)
    func find() -> [PairingEffect] {
      var turn = Turn(desk.moment)
      desk.engine.pairing.found([address], &turn)
      return turn.effects.compactMap { if case .pairing(let effect) = $0 { effect } else { nil } }
    }
    #expect(find() == [])
    #expect(desk.call(.open(PairingWish())) == nil)
    #expect(find() == [.dial([address])])
  }
}
