/// What a plugin is, readable without running its code: the key-file beside it. docs/plugins.md describes the format.
public struct PluginMetadata: Equatable, Sendable {
  public let id: PluginID
  public let name: String
  public let version: String
  /// The ABI between plugin and host.
  public let abi: Int64
  /// The activities that it is meant for; empty: any.
  public let activityTypes: [ActivityType]
  public let objects: [PluginObjectDescription]
}

/// A plugin's id: a reversed domain name, which is its file's name too.
public struct PluginID: ValidatedName {
  public let string: String

  public init?(_ string: String) {
    // A bus name's rule, so that no id is a path, hidden, or an option.
    guard let name = BusName(string), !name.isUnique else { return nil }
    self.string = string
  }
}
