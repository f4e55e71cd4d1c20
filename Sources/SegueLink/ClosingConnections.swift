import SegueCore

/// Connections that are over, and whose sockets wait until the other side has said goodbye in TLS. Who never does would
/// keep them for a second each, any number of them.
struct ClosingConnections {
  /// In the order of their ends.
  private var tokens: [UInt64] = []

  /// A connection is over; returns the one whose socket is closed at once for it.
  mutating func add(_ token: UInt64) -> UInt64? {
    tokens.append(token)
    return tokens.count > Limits.closingConnections ? tokens.removeFirst() : nil
  }

  /// The socket is closed.
  mutating func remove(_ token: UInt64) { tokens.removeAll { $0 == token } }

  /// All, whose sockets are closed at once.
  mutating func takeAll() -> [UInt64] {
    defer { tokens = [] }
    return tokens
  }
}
