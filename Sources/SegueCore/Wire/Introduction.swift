/// A device that another one introduces, so that the user need not pair each device with each.
public struct Introduction: Equatable, Sendable {
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

  /// As a message carries it.
  var entries: [Value: Value] {
    [
      "device": .data(device.bytes), "check": .data(device.check), "name": .string(name),
      "addresses": .array(addresses.map { .string($0.description) }),
    ]
  }

  /// Nil where a field is missing or malformed. Addresses that this version does not understand are left out.
  init?(_ entries: [Value: Value]) {
    guard let bytes = entries["device"]?.data, bytes.count == DeviceID.byteCount,
      let check = entries["check"]?.data, check.count == DeviceID.checkDigits, check.allSatisfy({ $0 < 32 }),
      let name = entries["name"]?.string, let texts = entries["addresses"]?.array,
      texts.count <= Limits.deviceAddresses
    else { return nil }
    self.init(
      device: DeviceID(hash: bytes, check: check), name: name,
      addresses: texts.compactMap { $0.string.flatMap { LinkAddress($0) } })
  }
}
