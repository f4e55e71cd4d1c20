import SegueCore
import Testing

@testable import SegueEngine

/// The window in which a device can be paired, in the engine.
@Suite struct PairingWindowTests {
  /// A device whose user wants to pair.
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

    /// Does what the user does, and returns the error of the reply.
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

    /// A device dials, and other digits are typed for it than it shows.
    mutating func guess(_ connection: PairingConnection) {
      beginsAndReveals(connection)
      _ = call(.type("000000"))
      if case .typing = engine.pairingState { _ = call(.type("000001")) }
    }

    /// A device with this key dials and sends its first message, and with a proof a second one.
    mutating func beginsAndReveals(_ connection: PairingConnection, key: UInt8 = 2, proof: [UInt8]? = nil) {
      let other = TestCrypto(2)
      let nonce = other.random(32)
      let commitment = PairingAgreement.commitment(key: [key], otherKey: [1], nonce: nonce, other)
      _ = handle(.pairing(.link(.connected(connection, .other, key: [1], otherKey: [key]))))
      send(.begin(commitment: commitment, name: "lap"), connection)
      send(.reveal(nonce, proof: proof), connection)
    }

    mutating func send(_ message: PairingMessage, _ connection: PairingConnection) {
      _ = handle(.pairing(.link(.received(connection, (try? message.encode()) ?? []))))
    }
  }

  private func isOpen(_ desk: Desk) -> Bool { if case .open = desk.engine.pairingState { true } else { false } }

  @Test func attack13_nothingIsAskedWithoutAWindow() {
    var desk = Desk()
    let effects = desk.handle(.pairing(.link(.connected(1, .other, key: [1], otherKey: [2]))))
    #expect(effects == [.close(1)] && desk.engine.pairingState == .closed)
  }

  @Test func aWindowClosesByItself() {
    var desk = Desk()
    #expect(desk.call(.open(PairingWish())) == nil)
    desk.pass(Limits.pairingWindowTime - 1)
    #expect(isOpen(desk))
    #expect(desk.call(.renew()) == nil)
    desk.pass(Limits.pairingWindowTime - 1)
    #expect(isOpen(desk))
    desk.pass(1)
    guard case .failed(let error, nil) = desk.engine.pairingState, error.code == .remoteApplicationTimedOut else {
      Issue.record("\(desk.engine.pairingState)")
      return
    }
    #expect(desk.call(.renew())?.code == .notFound)
  }

  @Test func aCodeIsGoodForItsTimeOnly() throws {
    var desk = Desk()
    #expect(desk.call(.open(PairingWish(showsCode: true))) == nil)
    guard case .open(let code?) = desk.engine.pairingState else { throw Failure([]) }
    #expect(code.expires == 1_800_000_000 + Limits.pairingCodeTime / 1000)
    desk.pass(Limits.pairingCodeTime - 1)
    #expect(isOpen(desk))
    #expect(desk.call(.renew()) == nil)
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
      // A window allows one try.
      #expect(!isOpen(desk))
    }
    desk.pass(Limits.pairingPause - 1)
    #expect(desk.call(.open(PairingWish()))?.code == .limitExceeded)
    desk.pass(1)
    #expect(desk.call(.open(PairingWish())) == nil)
  }

  /// A user who opens another window while an attacker knows the digits of the former one has used up a try, too.
  @Test func attack12_aWindowInPlaceOfAnotherIsATry() {
    var desk = Desk()
    for number in 1...Limits.pairingFailures {
      #expect(desk.call(.open(PairingWish())) == nil)
      desk.beginsAndReveals(UInt64(number))
    }
    #expect(desk.call(.open(PairingWish()))?.code == .limitExceeded)
    #expect(!isOpen(desk))
  }

  /// A copied code pairs, however unauthenticated peers begin, guess and leave.
  @Test func attack12_strangersDoNotKeepACodeFromPairing() throws {
    var desk = Desk()
    for number in 1...Limits.pairingFailures {
      #expect(desk.call(.open(PairingWish())) == nil)
      desk.guess(UInt64(number))
    }
    #expect(desk.call(.open(PairingWish(showsCode: true))) == nil)
    guard case .open(let code?) = desk.engine.pairingState else { throw Failure([]) }
    let zeros = [UInt8](repeating: 0, count: 32)
    for number: UInt64 in 10..<200 {
      let begin = try PairingMessage.begin(commitment: zeros, name: "lap").encode()
      switch number % 5 {
      case 0: desk.beginsAndReveals(number, key: UInt8(number), proof: zeros)
      case 1: desk.beginsAndReveals(number, key: UInt8(number))
      case 2:
        _ = desk.handle(.pairing(.link(.connected(number, .other, key: [1], otherKey: [UInt8(number)]))))
        _ = desk.handle(.pairing(.link(.received(number, begin))))
        _ = desk.handle(.pairing(.link(.closed(number))))
      case 3:
        _ = desk.handle(.pairing(.link(.connected(number, .other, key: [1], otherKey: [UInt8(number)]))))
        _ = desk.handle(.pairing(.link(.received(number, begin))))
      default: _ = desk.handle(.pairing(.link(.connected(number, .other, key: [1], otherKey: [UInt8(number)]))))
      }
      #expect(desk.engine.pairingState == .open(code))
    }
    let peer = try use(code, 1_000, &desk)
    #expect(desk.engine.pairingState == .paired(peer.device, name: "lap"))
  }

  /// A device has copied the code, and sends these addresses. Returns what is written down of the device.
  private func use(
    _ code: PairingCode, _ connection: PairingConnection, addresses: [LinkAddress] = [], _ desk: inout Desk
  ) throws -> PairingSession.PairedPeer {
    var (session, effects) = PairingSession.begin(
      PairingSession.Start(
        role: .dialler, key: [2], otherKey: [1], name: "lap", addresses: addresses, secret: code.secret,
        expected: code.device), TestCrypto(2))
    var said = desk.handle(.pairing(.link(.connected(connection, .other, key: [1], otherKey: [2]))))
    var remembered: PairingSession.PairedPeer?
    while !effects.isEmpty {
      for case .send(let message) in effects {
        said += desk.handle(.pairing(.link(.received(connection, try message.encode()))))
      }
      for case .remember(let peer) in said {
        remembered = peer
        said += desk.handle(.pairing(.remembered(nil)))
      }
      effects = []
      for case .send(connection, let bytes) in said {
        effects += session.handle(.received(try PairingMessage.decode(bytes)))
        if case .remembering = session.state { effects += session.handle(.remembered(nil)) }
      }
      said = []
    }
    return try #require(remembered)
  }

  /// One rule holds for all devices that send addresses. The addresses that the user has typed are taken as they are.
  @Test func attack5_aDeviceThatPairsNamesWhatIsNotItsOwn() throws {
    let bad = ["10.0.0.7:22", "localhost:4711", "desk:4711", "127.0.0.1:4711", "[fe80::1%eth0]:4711", "224.0.0.1:4711"]
    let told = try (bad + ["10.0.0.7:4711"]).map { try #require(LinkAddress($0)) }
    var desk = Desk()
    #expect(desk.call(.open(PairingWish(showsCode: true))) == nil)
    guard case .open(let code?) = desk.engine.pairingState else { throw Failure([]) }
    #expect(try use(code, 1, addresses: told, &desk).addresses.map { $0.description } == ["10.0.0.7:4711"])
    // The addresses in a code follow the same rule.
    var lap = Desk()
    let wish = PairingWish(
      code: PairingCode(device: TestCrypto(2).device, secret: code.secret, expires: code.expires, addresses: told))
    let opened = lap.handle(.control(9, .pairing(.open(wish))))
    #expect(opened == [.open(true), .dial([try #require(LinkAddress("10.0.0.7:4711"))])])
    var nowhere = wish
    nowhere.code?.addresses = Array(told.dropLast())
    #expect(lap.call(.open(nowhere))?.code == .connectionUnavailable)
  }

  @Test func aNameThatTheUserHasTypedIsKept() throws {
    let given = try #require(LinkAddress("lap.example:22"))
    var desk = Desk()
    #expect(desk.call(.open(PairingWish(addresses: [given]))) == nil)
    let other = TestCrypto(2)
    let begun = desk.handle(.pairing(.link(.connected(1, .dialler, key: [1], otherKey: [2]))))
    var (session, _) = PairingSession.begin(
      PairingSession.Start(
        role: .other, key: [2], otherKey: [1], name: "lap", addresses: [LinkAddress(host: "10.0.0.7", port: 4711)]),
      other)
    func exchange(_ effects: [PairingEffect]) throws -> [PairingEffect] {
      var answers: [PairingEffect] = []
      for case .send(1, let bytes) in effects {
        for case .send(let message) in session.handle(.received(try PairingMessage.decode(bytes))) {
          answers += desk.handle(.pairing(.link(.received(1, try message.encode()))))
        }
      }
      return answers
    }
    _ = try exchange(try exchange(begun))
    guard case .showing(let digits, _) = desk.engine.pairingState else { throw Failure([]) }
    for case .send(let message) in session.handle(.typed(digits)) { desk.send(message, 1) }
    let confirmed = desk.handle(.control(7, .pairing(.confirm(true))))
    guard case .remember(let peer)? = confirmed.first else { throw Failure([]) }
    #expect(peer.addresses.map { $0.description } == ["10.0.0.7:4711", "lap.example:22"])
  }

  private func refusal(_ connection: PairingConnection) throws -> [PairingEffect] {
    [.send(connection, try PairingMessage.refused(.limitExceeded).encode()), .close(connection)]
  }

  /// The window belongs to the first device that sends a message, and to no other one from then on.
  @Test func attack12_aSecondSessionIsRefused() throws {
    var desk = Desk()
    #expect(desk.call(.open(PairingWish())) == nil)
    for number: UInt64 in 1...2 {
      #expect(desk.handle(.pairing(.link(.connected(number, .other, key: [1], otherKey: [UInt8(number)])))) == [])
    }
    let begin = try PairingMessage.begin(commitment: [UInt8](repeating: 1, count: 32), name: "lap").encode()
    let effects = desk.handle(.pairing(.link(.received(2, begin))))
    #expect(effects.prefix(2) == (try refusal(1))[...])
    #expect(desk.handle(.pairing(.link(.connected(3, .other, key: [1], otherKey: [3])))) == (try refusal(3)))
    #expect(desk.handle(.pairing(.link(.received(1, begin)))) == [])
  }

  /// As many silent connections as possible are open. The next device gets a place, and the digits.
  @Test func attack12_silentStrangersDoNotHoldTheWindow() throws {
    var desk = Desk()
    #expect(desk.call(.open(PairingWish())) == nil)
    for number in 1...UInt64(Limits.pairingConnections) {
      _ = desk.handle(.pairing(.link(.connected(number, .other, key: [1], otherKey: [UInt8(number + 2)]))))
    }
    let number = UInt64(Limits.pairingConnections + 1)
    #expect(desk.handle(.pairing(.link(.connected(number, .other, key: [1], otherKey: [2])))) == (try refusal(1)))
    desk.beginsAndReveals(number)
    #expect(desk.engine.pairingState == .typing(name: "lap"))
  }

  @Test func attack12_whoSaysNothingIsClosedAfterItsTime() throws {
    var desk = Desk()
    #expect(desk.call(.open(PairingWish())) == nil)
    _ = desk.handle(.pairing(.link(.connected(1, .other, key: [1], otherKey: [2]))))
    desk.now += Limits.pairingAnswerTime - 1
    #expect(desk.handle(.time) == [])
    desk.now += 1
    #expect(desk.handle(.time).contains(.close(1)))
    #expect(isOpen(desk))
    // A device that has been sent a nonce has had a guess.
    let begin = try PairingMessage.begin(commitment: [UInt8](repeating: 1, count: 32), name: "lap").encode()
    _ = desk.handle(.pairing(.link(.connected(2, .other, key: [1], otherKey: [2]))))
    _ = desk.handle(.pairing(.link(.received(2, begin))))
    desk.pass(Limits.pairingAnswerTime)
    guard case .failed(let error, nil) = desk.engine.pairingState, error.message.contains("went away") else {
      Issue.record("\(desk.engine.pairingState)")
      return
    }
  }

  /// A dial that another device disturbs goes on.
  @Test func attack12_aStrangerDoesNotEndADial() {
    var desk = Desk()
    let address = LinkAddress(host: "192.0.2.7", port: 4711)
    #expect(desk.call(.open(PairingWish(addresses: [address]))) == nil)
    _ = desk.handle(.pairing(.link(.connected(1, .other, key: [1], otherKey: [3]))))
    _ = desk.handle(.pairing(.link(.received(1, [0xff]))))
    #expect(desk.engine.pairingState == .reaching)
    _ = desk.handle(.pairing(.link(.connected(2, .dialler, key: [1], otherKey: [2]))))
    desk.send(.nonce([UInt8](repeating: 1, count: 32), name: "lap"), 2)
    guard case .showing(_, "lap") = desk.engine.pairingState else {
      Issue.record("\(desk.engine.pairingState)")
      return
    }
  }

  @Test func whatIsNoSixDigitsIsNoTry() {
    var desk = Desk()
    #expect(desk.call(.open(PairingWish())) == nil)
    desk.beginsAndReveals(1)
    for text in ["", "12345", "what?", "1234567"] {
      #expect(desk.call(.type(text))?.code == .invalidArgument)
      #expect(desk.engine.pairingState == .typing(name: "lap"))
    }
    #expect(desk.call(.type("000-000")) == nil)
    guard case .failed = desk.engine.pairingState else {
      Issue.record("\(desk.engine.pairingState)")
      return
    }
  }

  /// The holder of the window has left.
  @Test func aWindowEndsWithItsHolder() throws {
    for isTold in [false, true] {
      var desk = Desk()
      #expect(desk.call(.open(PairingWish(), by: .session(7))) == nil)
      #expect(desk.handle(.pairing(.left(.session(8)))) == [])
      #expect(desk.handle(.pairing(.left(.bus(":1.7")))) == [])
      #expect(isOpen(desk))
      if isTold { desk.beginsAndReveals(1) }
      let effects = desk.handle(.pairing(.left(.session(7))))
      #expect(effects.contains(.open(false)))
      #expect(effects.contains(.send(1, try PairingMessage.refused(.userCancelled).encode())) == isTold)
      #expect(!isOpen(desk))
    }
    // If several holders renew a window, the last one counts.
    var desk = Desk()
    #expect(desk.call(.open(PairingWish(), by: .session(7))) == nil)
    #expect(desk.call(.renew(by: .session(9))) == nil)
    #expect(desk.handle(.pairing(.left(.session(7)))) == [])
    #expect(desk.handle(.pairing(.left(.session(9)))).contains(.open(false)))
  }

  /// If connections cross, the device with the smaller key sends on the first only, the other one on all that it has
  /// dialled.
  @Test func ofConnectionsThatCrossOneDeviceChooses() throws {
    for chooses in [true, false] {
      let keys: (own: [UInt8], other: [UInt8]) = chooses ? ([1], [2]) : ([2], [1])
      var desk = Desk()
      #expect(desk.call(.open(PairingWish())) == nil)
      _ = desk.handle(.pairing(.link(.connected(1, .other, key: keys.own, otherKey: keys.other))))
      let effects = desk.handle(.pairing(.link(.connected(2, .dialler, key: keys.own, otherKey: keys.other))))
      #expect(effects.contains { if case .send(2, _) = $0 { true } else { false } } == !chooses)
      // A message arrives on the first connection, and the second is closed.
      desk.send(.begin(commitment: [UInt8](repeating: 1, count: 32), name: "lap"), 1)
      let late = desk.handle(.pairing(.link(.connected(3, .dialler, key: keys.own, otherKey: keys.other))))
      #expect(late == [.send(3, try PairingMessage.refused(.limitExceeded).encode()), .close(3)])
    }
  }

  @Test func attack12_manyConnectionsOfOneDeviceAreBounded() throws {
    var desk = Desk()
    #expect(desk.call(.open(PairingWish())) == nil)
    for number in 1...UInt64(Limits.pairingConnections) {
      #expect(desk.handle(.pairing(.link(.connected(number, .other, key: [1], otherKey: [2])))) == [])
    }
    let one = UInt64(Limits.pairingConnections + 1)
    let effects = desk.handle(.pairing(.link(.connected(one, .other, key: [1], otherKey: [2]))))
    #expect(effects == (try refusal(one)))
  }

  @Test func whoTellsNothingDoesNotTakeTheWindowAway() {
    var desk = Desk()
    #expect(desk.call(.open(PairingWish())) == nil)
    _ = desk.handle(.pairing(.link(.connected(1, .other, key: [1], otherKey: [2]))))
    _ = desk.handle(.pairing(.link(.closed(1))))
    #expect(isOpen(desk))
    _ = desk.handle(.pairing(.link(.connected(2, .other, key: [1], otherKey: [2]))))
    _ = desk.handle(.pairing(.link(.received(2, [0xff]))))
    #expect(isOpen(desk))
  }

  @Test func anAddressThatDoesNotAnswerIsSaid() {
    var desk = Desk()
    let address = LinkAddress(host: "192.0.2.7", port: 4711)
    let opened = desk.engine.handle(
      .control(9, .pairing(.open(PairingWish(addresses: [address])))), at: desk.moment)
    #expect(opened.contains { if case .pairing(.dial([address])) = $0 { true } else { false } })
    let error = SegueError(.connectionUnavailable, "Nobody answers.")
    _ = desk.handle(.pairing(.link(.notReached(error))))
    #expect(desk.engine.pairingState == .failed(error, remembered: nil))
  }

  @Test func addressesThatDoNotAnswerAreNothingToWhoIsConnected() {
    var desk = Desk()
    let address = LinkAddress(host: "192.0.2.7", port: 4711)
    #expect(desk.call(.open(PairingWish(addresses: [address]))) == nil)
    _ = desk.handle(.pairing(.link(.connected(1, .other, key: [1], otherKey: [2]))))
    #expect(desk.handle(.pairing(.link(.notReached(SegueError(.connectionUnavailable, "Nobody answers."))))) == [])
    #expect(desk.engine.pairingState == .reaching)
    // The end of the connection then ends the pairing.
    #expect(desk.handle(.pairing(.link(.closed(1)))).contains(.open(false)))
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
