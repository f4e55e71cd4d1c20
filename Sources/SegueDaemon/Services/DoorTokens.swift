import SegueCore
import SegueEngine

/// The tokens that were given out for the door. A token is valid once, and for a short time.
struct DoorTokens {
  private struct Token {
    let text: String
    let until: Instant
    let holder: DoorSlots.Holder
  }

  /// The oldest first.
  private var tokens: [Token] = []

  /// Makes a token. A holder that has too many loses its own oldest one. If its group has too many, the group's process
  /// that has most loses one; if there are too many in all, so does the process that has most in the group that has
  /// most.
  mutating func make(now: Instant, for holder: DoorSlots.Holder) -> String {
    tokens.removeAll { $0.until <= now }
    if tokens.count(where: { $0.holder == holder }) >= Limits.doorConnectionsPerProcess {
      drop { $0.holder == holder }
    } else if tokens.count(where: { $0.holder.group == holder.group }) >= Limits.doorConnectionsPerGroup {
      let process = Self.most(tokens.map(\.holder).filter { $0.group == holder.group })
      drop { $0.holder == process }
    } else if tokens.count >= Limits.doorConnections {
      let group = Self.most(tokens.map(\.holder.group))
      let process = Self.most(tokens.map(\.holder).filter { $0.group == group })
      drop { $0.holder == process }
    }
    let token = Token(text: Identifier.random().hex, until: now + Limits.doorTokenTime, holder: holder)
    tokens.append(token)
    return token.text
  }

  mutating func use(_ token: String, now: Instant) -> Bool {
    guard let index = tokens.firstIndex(where: { $0.text == token }) else { return false }
    return tokens.remove(at: index).until > now
  }

  private mutating func drop(_ isMeant: (Token) -> Bool) {
    if let oldest = tokens.firstIndex(where: isMeant) { tokens.remove(at: oldest) }
  }

  /// The most frequent value; among several, the one that began last, so that a newer holder cannot displace an older
  /// one.
  private static func most<Value: Hashable>(_ values: [Value]) -> Value? {
    var found: [Value: (count: Int, first: Int)] = [:]
    for (place, value) in values.enumerated() { found[value, default: (0, place)].count += 1 }
    return found.max { ($0.value.count, $0.value.first) < ($1.value.count, $1.value.first) }?.key
  }
}
