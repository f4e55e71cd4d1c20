import SegueCore

/// An interface of this machine, and what of it other devices can dial.
public struct NetworkInterface: Hashable, Sendable {
  /// The kernel's number.
  public var index: Int32
  public var name: String
  /// Those at which this device listens, each with its network.
  public var addresses: [IPNetwork]
  public var port: UInt16

  public init(index: Int32, name: String, addresses: [IPNetwork], port: UInt16) {
    self.index = index
    self.name = name
    self.addresses = addresses
    self.port = port
  }

  /// Whether the address is one machine's on a network of this interface, and not this machine's own.
  func reaches(_ address: IPAddress) -> Bool {
    guard !addresses.contains(where: { $0.address == address }), !address.isLoopback else { return false }
    if address.isLinkLocal { return true }
    return address.isUnicast && addresses.contains { $0.contains(address) }
  }
}

extension DiscoverySettings {
  /// Whether this device is announced on the interface.
  func allows(_ interface: NetworkInterface) -> Bool {
    isOn && isOutside(interface.name) && !interface.addresses.isEmpty
      && !interface.addresses.contains { own in skippedNetworks.contains { $0.contains(own.address) } }
  }
}
