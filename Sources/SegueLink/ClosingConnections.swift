import SegueCore

/// Connections that are over, and whose sockets wait for the other side's close_notify of TLS. A peer that never sends
/// it would otherwise hold any number of sockets for a second each.
struct ClosingConnections {
  /// In the order of their ends.
  private var tokens: [UInt64] = []

  /// Adds a connection that is over; returns the one whose socket must be closed at once to make room.
  mutating func add(_ token: UInt64) -> UInt64? {
    tokens.append(token)
    return tokens.count > Limits.closingConnections ? tokens.removeFirst() : nil
  }

  /// Removes a connection whose socket is closed.
  mutating func remove(_ token: UInt64) { tokens.removeAll { $0 == token } }

  /// Takes all connections out; the caller closes their sockets at once.
  mutating func takeAll() -> [UInt64] {
    defer { tokens = [] }
    return tokens
  }
}
