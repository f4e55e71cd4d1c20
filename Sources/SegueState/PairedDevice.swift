import SegueCore

/// A paired device, as it is remembered.
public struct PairedDevice: Equatable, Sendable {
  /// The device.
  public var id: DeviceID
  /// What the user calls it. A line break or another control character in it is stored as a space.
  public var name: String
  /// The name that it gave itself last; nil if that was never heard. A given name that is the same follows it.
  public var ownName: String?
  /// The addresses at which it may be dialled, as the user gave them.
  public var addresses: [LinkAddress]
  /// Those that it has told itself, the newest first.
  public var learned: [LinkAddress] = []
  /// The one that has worked last.
  public var reached: LinkAddress?
  /// When it dialled this device last, in seconds since 1970; nil if it never has.
  public var reachedUs: UInt64?
  /// When it was linked last, about, in seconds since 1970; nil if it never was.
  public var seen: UInt64?
  /// The device that introduced it; nil for one that was paired with this one itself.
  public var introducedBy: DeviceID?
  /// When it was paired, in seconds since 1970.
  public var added: UInt64

  /// A paired device.
  public init(id: DeviceID, name: String, addresses: [LinkAddress], added: UInt64) {
    self.id = id
    self.name = name
    self.addresses = addresses
    self.added = added
  }

  /// Where to dial it, in this order: what worked last, what the user gave, what it told.
  public var dialled: [LinkAddress] {
    let known = addresses + learned.filter { !addresses.contains($0) }
    guard let reached, known.contains(reached) else { return known }
    return [reached] + known.filter { $0 != reached }
  }

  /// The device calls itself so. Where it was called as it called itself, it is called so from now on.
  public mutating func hear(_ name: String) {
    if ownName != nil && self.name == ownName || self.name.isEmpty { self.name = name }
    ownName = name
  }

  /// The device has told these addresses. As many of those that it told before are kept as there is room for: it may be
  /// there again.
  public mutating func learn(_ told: [LinkAddress]) {
    learned = Array((told + learned.filter { !told.contains($0) }).prefix(Limits.deviceAddresses))
  }
}
