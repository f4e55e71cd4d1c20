import SegueCore

/// An interface of this machine, with the addresses and the port at which other devices can dial it.
public struct NetworkInterface: Hashable, Sendable {
  /// The kernel's index of the interface.
  public var index: Int32
  public var name: String
  /// The addresses at which this device listens, each with its network.
  public var addresses: [IPNetwork]
  public var port: UInt16

  public init(index: Int32, name: String, addresses: [IPNetwork], port: UInt16) {
    self.index = index
    self.name = name
    self.addresses = addresses
    self.port = port
  }

  /// Whether the address is that of a single machine on a network of this interface, other than this machine.
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
