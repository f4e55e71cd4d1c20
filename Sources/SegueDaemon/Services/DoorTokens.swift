import SegueCore

/// The tokens that were given out for the door. A token is valid once, and for a short time.
struct DoorTokens {
  private var tokens: [String: (until: Instant, caller: String)] = [:]

  /// Makes a token. A caller that asks for too many makes its own oldest ones void first, and only then those of
  /// others.
  mutating func make(now: Instant, for caller: String = "") -> String {
    tokens = tokens.filter { $0.value.until > now }
    while tokens.values.count(where: { $0.caller == caller }) >= Limits.doorConnectionsPerProcess,
      let oldest = tokens.filter({ $0.value.caller == caller }).min(by: { $0.value.until < $1.value.until })
    {
      tokens[oldest.key] = nil
    }
    while tokens.count >= Limits.doorConnections, let oldest = tokens.min(by: { $0.value.until < $1.value.until }) {
      tokens[oldest.key] = nil
    }
    let token = Identifier.random().hex
    tokens[token] = (now + Limits.doorTokenTime, caller)
    return token
  }

  mutating func use(_ token: String, now: Instant) -> Bool {
    guard let given = tokens.removeValue(forKey: token) else { return false }
    return given.until > now
  }
}
