/// A device that another one introduces: so that its user need not pair each device with each.
public struct Introduction: WireMessage, Equatable, Sendable {
  /// The introduced device.
  public var device: DeviceID
  /// The device's name where it is introduced from. Fit to be shown.
  public var name: String
  /// The addresses at which it accepts connections, as far as the introducer knows.
  public var addresses: [LinkAddress]

  public init(device: DeviceID, name: String, addresses: [LinkAddress]) {
    self.device = device
    self.name = DisplayText.clean(name, maximum: Limits.titleAdvised)
    self.addresses = addresses
  }

  /// Addresses that this version does not understand are left out.
  public init(_ fields: inout WireFields, _ own: Introduction?) throws(SegueError) {
    self.init(
      device: try fields.device("device", "check", own?.device), name: try fields("name", own?.name),
      addresses: try fields.list("addresses", own?.addresses, atMost: Limits.deviceAddresses))
  }
}
