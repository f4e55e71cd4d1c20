import Foundation
import SegueCore
import Testing

@testable import SegueEngine

/// An attacker who sits between two devices that pair, and has a connection to each, and as many ephemeral keys as it
/// likes (security.md, attack 11). It wants both users to see the same digits.
@Suite struct PairingGuessTests {
  /// The keys that the attacker uses towards the dialler, and towards the other device.
  private struct Keys {
    var toDialler: [UInt8]
    var toOther: [UInt8]
  }

  private static let desk = [UInt8](repeating: 1, count: 32)
  private static let lap = [UInt8](repeating: 2, count: 32)
  /// The attacker's guess of the nonces that it does not know when it has to choose its own.
  private static let guess = [UInt8](repeating: 7, count: 32)

  /// The digits between two keys, if both nonces are as guessed.
  private func guessed(_ dialler: [UInt8], _ other: [UInt8], _ dice: Dice) -> String {
    PairingAgreement(
      dialler: PairingAgreement.End(key: dialler, nonce: Self.guess, name: "desk"),
      other: PairingAgreement.End(key: other, nonce: Self.guess, name: "lap"), seenBy: .dialler, dice
    ).digits
  }

  /// Finds, among this many keys for each side, two with which the digits would be equal.
  private func grind(_ count: Int, _ dice: Dice) throws -> Keys {
    var known: [String: [UInt8]] = [:]
    for _ in 0..<count {
      let key = dice.draw(32)
      known[guessed(Self.desk, key, dice)] = key
    }
    for _ in 0..<count {
      let key = dice.draw(32)
      if let other = known[guessed(key, Self.lap, dice)] { return Keys(toDialler: other, toOther: key) }
    }
    throw SegueError(.notFound, "There are no such keys.")
  }

  /// Both devices pair with the attacker. Returns the digits that are shown, and those that are asked for.
  private func pair(through keys: Keys, _ dice: Dice, _ mallory: Dice) throws -> (shown: String, wanted: String) {
    func start(_ role: PairingRole, _ key: [UInt8], _ otherKey: [UInt8]) -> PairingSession.Start {
      PairingSession.Start(
        role: role, key: key, otherKey: otherKey, name: role == .dialler ? "desk" : "lap", addresses: [])
    }
    // The connection to the dialler: its commitment comes before its nonce.
    var (desk, _) = PairingSession.begin(start(.dialler, Self.desk, keys.toDialler), dice)
    _ = desk.handle(.received(.nonce(mallory.random(32), name: "lap")))
    guard case .showing(let shown) = desk.state else { throw SegueError(.protocolViolation, "\(desk.state)") }
    // The connection to the other device, whose nonce comes only after the attacker has committed itself too.
    var (lap, _) = PairingSession.begin(start(.other, Self.lap, keys.toOther), dice)
    let nonce = mallory.random(32)
    let commitment = PairingAgreement.commitment(key: keys.toOther, otherKey: Self.lap, nonce: nonce, dice)
    _ = lap.handle(.received(.begin(commitment: commitment, name: "desk")))
    _ = lap.handle(.received(.reveal(nonce, proof: nil)))
    guard case .typing(let wanted) = lap.state else { throw SegueError(.protocolViolation, "\(lap.state)") }
    return (shown.digits, wanted.digits)
  }

  /// `SEGUE_PAIRINGS` and `SEGUE_KEYS` make the test longer: 100,000 of the former, 1,048,576 of the latter.
  @Test func attack11_whoGrindsKeysGuessesNoBetter() throws {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["SEGUE_PAIRINGS"].flatMap { Int($0) } ?? 10_000
    let keyCount = environment["SEGUE_KEYS"].flatMap { Int($0) } ?? 4_096
    let mallory = Dice(seed: 11, constant: Self.guess)
    let keys = try grind(keyCount, mallory)
    // An attacker who knows the nonces beforehand wins each time: so the keys are good.
    let known = try pair(through: keys, Dice(seed: 1, constant: Self.guess), mallory)
    #expect(known.shown == known.wanted)
    let dice = Dice(seed: 12)
    var (equal, halfEqual) = (0, 0)
    for _ in 0..<count {
      let (shown, wanted) = try pair(through: keys, dice, mallory)
      if shown == wanted { equal += 1 }
      if shown.suffix(2) == wanted.suffix(2) { halfEqual += 1 }
    }
    // One in a million is equal: more than two in a hundred thousand happen once in six thousand such runs.
    #expect(equal <= 2 + count / 100_000, "\(equal) of \(count)")
    // For two of the digits, one in a hundred is equal, often enough to be counted: within five deviations.
    let (expected, deviation) = (Double(count) / 100, (Double(count) * 0.01 * 0.99).squareRoot())
    #expect(abs(Double(halfEqual) - expected) <= 5 * deviation, "\(halfEqual) of \(count)")
  }
}
