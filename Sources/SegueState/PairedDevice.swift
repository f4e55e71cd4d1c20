import SegueCore

/// A paired device, as it is remembered.
public struct PairedDevice: Equatable, Sendable {
  /// The device.
  public var id: DeviceID
  /// What the user calls it. A line break or another control character in it is stored as a space.
  public var name: String
  /// The addresses at which it may be dialled.
  public var addresses: [LinkAddress]
  /// When it was paired, in seconds since 1970.
  public var added: UInt64

  /// A paired device.
  public init(id: DeviceID, name: String, addresses: [LinkAddress], added: UInt64) {
    self.id = id
    self.name = name
    self.addresses = addresses
    self.added = added
  }
}
