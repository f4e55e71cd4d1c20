import SegueCore

/// The user's settings for discovery: the group [Discovery] of segue.conf.
public struct DiscoverySettings: Equatable, Sendable {
  public var isOn = true
  /// Name prefixes of interfaces that lead only to containers and virtual machines of this machine.
  public var skippedInterfaces = ["virbr", "vnet", "docker", "br-", "veth", "lxc", "lxdbr", "podman", "cni"]
  /// Networks where this device is not announced and does not look for others.
  public var skippedNetworks: [IPNetwork] = []

  public init() {}

  /// Whether the interface with this name leads to other machines.
  public func isOutside(_ name: String) -> Bool { !skippedInterfaces.contains { name.begins(with: $0) } }

  /// The keys of group [Discovery].
  public static let keys = ["Enabled", "SkipInterfaces", "SkipNetworks"]

  /// Reads group [Discovery]. Throws `invalidArgument`.
  public mutating func read(_ file: KeyFile) throws(SegueError) {
    isOn = try file.bool("Discovery", "Enabled") ?? isOn
    if let names = try file.list("Discovery", "SkipInterfaces") {
      guard !names.contains("") else {
        throw file.failure("Discovery", "SkipInterfaces", "has an empty name, which every interface begins with")
      }
      skippedInterfaces = names
    }
    guard let texts = try file.list("Discovery", "SkipNetworks") else { return }
    skippedNetworks = try texts.map { text throws(SegueError) in
      guard let network = IPNetwork(text) else {
        throw file.failure(
          "Discovery", "SkipNetworks",
          "names \(DisplayText.quoted(text, maximum: Limits.shownName)), which is not a network such as 192.168.7.0/24")
      }
      return network
    }
  }
}
