/// A connection between two devices that pair; never used twice.
public typealias PairingConnection = UInt64

/// Which of two devices that pair has made their connection.
public enum PairingRole: String, Sendable { case dialler, other }

/// An event of the connections between devices that pair.
public enum PairingLinkEvent: Equatable, Sendable {
  /// A connection whose ends have shown ephemeral keys: their hashes.
  case connected(PairingConnection, PairingRole, key: [UInt8], otherKey: [UInt8])
  case received(PairingConnection, [UInt8])
  case closed(PairingConnection)
  /// No address answered, or whoever answered does not pair.
  case notReached(SegueError)
}
