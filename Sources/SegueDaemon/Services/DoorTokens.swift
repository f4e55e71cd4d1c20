import Crypto
import SegueCore

/// The tokens that are given out for the door. A token is valid once, and for a short time.
///
/// No token is kept: the first half of each is its time and its number, and the second is the signature of a secret of this
/// process's. So whoever asks for many makes nobody else's void, and who asks need not be known: the door recognises each
/// process that comes. The tokens that were used are remembered, more than the door can greet in a token's time.
struct DoorTokens {
  private let secret = SymmetricKey(size: .bits256)
  private var count: UInt64 = 0
  /// The first halves of the tokens that were used; those whose time is over are forgotten when there are too many.
  private var used: Set<UInt64> = []
  /// Tokens that were made until then are void.
  private var voided: Instant?

  mutating func make(now: Instant) -> String {
    count &+= 1
    let head = now.milliseconds << Self.numberBits | count & (1 << Self.numberBits - 1)
    return Identifier(high: head, low: signature(of: head)).hex
  }

  /// Whether a token is valid. From now on it is not.
  mutating func use(_ token: String, now: Instant) -> Bool {
    guard let token = Identifier(hex: token), token.low == signature(of: token.high), Self.isInTime(token.high, now),
      voided.map({ Self.time(of: token.high) > $0 }) ?? true, used.insert(token.high).inserted
    else { return false }
    if used.count > Limits.doorTokensUsed { makeRoom(now) }
    return true
  }

  private mutating func makeRoom(_ now: Instant) {
    used = used.filter { Self.isInTime($0, now) }
    guard used.count > Limits.doorTokensUsed else { return }
    // A forgotten token could be used again, so all tokens that are as old become void. Half go at once, since each of
    // them is looked at.
    let middle = used.map { Self.time(of: $0) }.sorted()[used.count / 2]
    voided = middle
    used = used.filter { Self.time(of: $0) > middle }
  }

  // MARK: The parts of a token

  /// Sixteen million tokens may be made in a millisecond, and the milliseconds last for 34 years.
  private static let numberBits: UInt64 = 24

  private static func time(of head: UInt64) -> Instant { Instant(milliseconds: head >> numberBits) }

  private static func isInTime(_ head: UInt64, _ now: Instant) -> Bool { time(of: head) + Limits.doorTokenTime > now }

  /// Eight bytes suffice: a connection to the door has one guess.
  private func signature(of head: UInt64) -> UInt64 {
    let code = withUnsafeBytes(of: head.bigEndian) { HMAC<SHA256>.authenticationCode(for: $0, using: secret) }
    return code.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
