import SegueCore
import Testing

@testable import SegueEngine

/// An attacker who sits between two devices that pair by digits, learns the digits first, and leaves whenever they are
/// not the wanted ones; for a day, while both users pair again whenever they can, and their windows are renewed all the
/// time (docs/pairing.md, security.md, attack 12).
@Suite struct PairingGrindingTests {
  /// The way in which a session is left.
  enum Leaving: CaseIterable { case closes, refuses, talksNonsense, staysSilent }

  /// How far a session with the side that does not dial goes before it is left.
  enum Step: CaseIterable { case nonce, reveal }

  /// A device and its user, with the attacker as that device sees it.
  private struct Side {
    var engine: Engine
    let role: PairingRole
    let own: UInt8
    let mallory = Dice(seed: 3)
    private var requests: RequestID = 0
    private var connection: PairingConnection = 0
    private var nonce: [UInt8] = []
    /// Whether a session is under way in which the attacker knows the digits.
    private(set) var isKnown = false
    /// How often the attacker has come to know digits: each time it may win with one in a million.
    private(set) var chances = 0
    /// How often the user was told that the other side went away.
    private(set) var told = 0

    init(_ role: PairingRole, _ now: UInt64) {
      self.role = role
      own = role == .dialler ? 1 : 2
      engine = Engine(
        EngineSettings(
          device: TestCrypto(own).device, deviceName: "\(role)", boot: "boot", crypto: Dice(seed: UInt64(own))),
        at: Side.moment(now))
    }

    private static func moment(_ now: UInt64) -> Moment {
      Moment(instant: Instant(milliseconds: now), seconds: 1_800_000_000, microseconds: 0)
    }

    private var otherKey: [UInt8] { [9] }

    private mutating func handle(_ event: Event, _ now: UInt64) -> [PairingMessage] {
      let before = engine.pairingState
      var said: [PairingMessage] = []
      for case .pairing(.send(_, let bytes)) in engine.handle(event, at: Self.moment(now)) {
        if let message = try? PairingMessage.decode(bytes) { said.append(message) }
      }
      if case .failed(let error, _) = engine.pairingState, engine.pairingState != before {
        isKnown = false
        if !error.message.isEmpty { told += 1 }
      }
      return said
    }

    /// Whether a window could be opened.
    mutating func opens(_ wish: PairingWish, _ now: UInt64) -> Bool {
      requests += 1
      var isOpen = false
      for case .reply(requests, .done) in engine.handle(.control(requests, .pairing(.open(wish))), at: Self.moment(now))
      {
        isOpen = true
      }
      return isOpen
    }

    var isOpen: Bool {
      switch engine.pairingState {
      case .closed, .failed, .paired: false
      default: true
      }
    }

    /// `segue pair` keeps running.
    mutating func renew(_ now: UInt64) {
      requests += 1
      _ = handle(.control(requests, .pairing(.renew())), now)
    }

    /// Time has passed.
    mutating func pass(_ now: UInt64) { _ = handle(.time, now) }

    /// The attacker begins, and learns the digits.
    mutating func begin(_ step: Step, _ now: UInt64) {
      connection += 1
      nonce = mallory.random(32)
      let greeting = handle(.pairing(.link(.connected(connection, role, key: [own], otherKey: otherKey))), now)
      if role == .dialler {
        guard case .begin? = greeting.first else { return }
        let said = say(.nonce(nonce, name: "other"), now)
        guard case .reveal? = said.first else { return }
      } else {
        let commitment = PairingAgreement.commitment(key: otherKey, otherKey: [own], nonce: nonce, mallory)
        guard case .nonce? = say(.begin(commitment: commitment, name: "other"), now).first else { return }
        if step == .reveal { _ = say(.reveal(nonce, proof: nil), now) }
      }
      isKnown = true
      chances += 1
    }

    private mutating func say(_ message: PairingMessage, _ now: UInt64) -> [PairingMessage] {
      handle(.pairing(.link(.received(connection, (try? message.encode()) ?? []))), now)
    }

    mutating func leave(_ how: Leaving, _ now: UInt64) {
      switch how {
      case .closes: _ = handle(.pairing(.link(.closed(connection))), now)
      case .refuses: _ = say(.refused(.userCancelled), now)
      case .talksNonsense: _ = say(.done, now)
      case .staysSilent: break
      }
    }
  }

  /// The number of guesses in a day on one device, as docs/pairing.md says.
  private static let guessesInADay = 87

  private static let day: UInt64 = 86_400_000
  private static let renewal: UInt64 = 30_000

  /// Plays a day. `holds`: on that side the one in between stays, with digits that it knows, for as long as it can.
  private func play(holds held: PairingRole?, _ step: Step, _ how: Leaving) throws -> [Side] {
    let start: UInt64 = 1_000
    var sides = [Side(.dialler, start), Side(.other, start)]
    let address = LinkAddress(host: "192.0.2.7", port: 4711)
    for now in stride(from: start, to: start + Self.day, by: Int(Self.renewal)) {
      for index in sides.indices {
        if sides[index].isOpen { sides[index].renew(now) }
        sides[index].pass(now)
        let wish = PairingWish(addresses: sides[index].role == .dialler ? [address] : [])
        // The attacker may try as often as it can.
        while !sides[index].isKnown, sides[index].isOpen || sides[index].opens(wish, now) {
          let former = sides[index].chances
          sides[index].begin(sides[index].role == held ? .reveal : step, now)
          try #require(sides[index].chances == former + 1)
          if sides[index].role != held { sides[index].leave(how, now) }
        }
      }
    }
    return sides
  }

  @Test(arguments: [nil, .dialler, .other] as [PairingRole?], Leaving.allCases)
  func attack12_aDayInBetweenHasSoManyGuesses(holds held: PairingRole?, how: Leaving) throws {
    for step in Step.allCases {
      for side in try play(holds: held, step, how) {
        if side.role == held {
          #expect(side.chances == 1)
        } else if how == .staysSilent {
          // While digits are shown, no device has to answer soon.
          #expect(side.chances <= Self.guessesInADay)
        } else {
          #expect(side.chances == Self.guessesInADay)
          // Each guess was reported on the screen.
          #expect(side.told == side.chances)
        }
      }
    }
  }

  /// Renewals and new windows do not reset the count; a day without any guess does.
  @Test func attack12_whatWasCountedIsForgottenAfterItsTime() {
    var guesses = PairingGuesses()
    var now = Instant(milliseconds: 1_000)
    var pauses: [UInt64] = []
    for _ in 0..<9 {
      for _ in 1..<Limits.pairingFailures { #expect(guesses.add(at: now) == nil) }
      pauses.append(guesses.add(at: now) ?? 0)
      #expect(guesses.rest(at: now) == pauses.last)
      now = now + (pauses.last ?? 0)
      #expect(guesses.rest(at: now) == nil)
    }
    #expect(pauses.map { $0 / 60_000 } == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    _ = guesses.add(at: now)
    now = now + (Limits.pairingMemory - 1)
    // The count has one that was remembered, and two more.
    #expect(guesses.add(at: now) == nil)
    #expect(guesses.add(at: now) == Limits.pairingPauseMaximum)
    now = now + Limits.pairingMemory
    for _ in 1..<Limits.pairingFailures { #expect(guesses.add(at: now) == nil) }
    #expect(guesses.add(at: now) == Limits.pairingPause)
  }
}
