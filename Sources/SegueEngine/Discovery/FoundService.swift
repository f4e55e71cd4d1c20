import SegueCore

/// A service of another device, as it was resolved on one interface. Any machine in the network can forge one: only a
/// link to it proves which device is there.
public struct FoundService: Equatable, Sendable {
  /// One instance, as it is seen on one interface by one version of IP.
  public struct Key: Hashable, Sendable {
    public var kind: ServiceKind
    public var interface: Int32
    public var isIPv6: Bool
    public var name: String

    public init(kind: ServiceKind, interface: Int32, isIPv6: Bool, name: String) {
      self.kind = kind
      self.interface = interface
      self.isIPv6 = isIPv6
      self.name = name
    }
  }

  public var key: Key
  /// An IP address without a scope.
  public var address: String
  public var port: UInt16
  /// The strings of the TXT record.
  public var text: [[UInt8]]

  public init(key: Key, address: String, port: UInt16, text: [[UInt8]]) {
    self.key = key
    self.address = address
    self.port = port
    self.text = text
  }
}
