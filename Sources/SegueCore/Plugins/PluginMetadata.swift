/// A plugin's description, readable without running its code: the key file beside it. docs/plugin-metadata.md describes
/// it.
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

extension PluginMetadata {
  /// Reads the key-file. Throws the first of its problems.
  public init(_ bytes: [UInt8]) throws(SegueError) {
    var reader = PluginMetadataReader(try KeyFile(bytes))
    guard let metadata = reader.read() else {
      throw reader.problems.first ?? SegueError(.invalidArgument, "The metadata cannot be read")
    }
    self = metadata
  }

  /// All problems of a key file that can be found: after some problems it can be read on.
  public static func problems(_ bytes: [UInt8]) -> [SegueError] {
    do {
      var reader = PluginMetadataReader(try KeyFile(bytes))
      _ = reader.read()
      return reader.problems
    } catch {
      return [error]
    }
  }
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
