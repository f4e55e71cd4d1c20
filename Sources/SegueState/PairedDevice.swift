import SegueCore

/// A paired device, as it is stored.
public struct PairedDevice: Equatable, Sendable {
  /// The device.
  public var id: DeviceID
  /// The user's name for the device. A line break or another control character in it is stored as a space.
  public var name: String
  /// The name that the device last gave itself; nil if it never has. If the user's name is equal to it, that follows
  /// it.
  public var ownName: String?
  /// The addresses at which it may be dialled, as the user gave them.
  public var addresses: [LinkAddress]
  /// The addresses that the device has sent itself, the newest first.
  public var learned: [LinkAddress] = []
  /// The address that was last dialled with success.
  public var reached: LinkAddress?
  /// When the device last dialled this one, in seconds since 1970; nil if it never has.
  public var reachedUs: UInt64?
  /// When the device was last linked, about, in seconds since 1970; nil if it never was.
  public var seen: UInt64?
  /// The device that introduced this one; nil for a device that was paired here directly.
  public var introducedBy: DeviceID?
  /// The fate of offers and texts that are sent from the device.
  public var receiving = ReceivingRule.ask
  /// When the device was paired, in seconds since 1970.
  public var added: UInt64

  /// A paired device.
  public init(id: DeviceID, name: String, addresses: [LinkAddress], added: UInt64) {
    self.id = id
    self.name = name
    self.addresses = addresses
    self.added = added
  }

  /// The addresses to dial, in this order: the one that worked last, those that the user gave, those that the device
  /// sent.
  public var dialled: [LinkAddress] {
    let known = addresses + learned.filter { !addresses.contains($0) }
    guard let reached, known.contains(reached) else { return known }
    return [reached] + known.filter { $0 != reached }
  }

  /// The device has sent its own name. If the user's name was the former own name, or empty, it becomes the new one.
  public mutating func hear(_ name: String) {
    if ownName != nil && self.name == ownName || self.name.isEmpty { self.name = name }
    ownName = name
  }

  /// The device has sent these addresses. Its former addresses are kept as far as there is room, since it may return to
  /// them.
  public mutating func learn(_ told: [LinkAddress]) {
    learned = Array((told + learned.filter { !told.contains($0) }).prefix(Limits.deviceAddresses))
  }
}
