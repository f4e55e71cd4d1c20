import SegueCore

/// The rules for the path of a plugin.
enum PluginPath {
  /// Whether a path is absolute, and no element of it is empty, `.` or `..`.
  static func isPlain(_ path: String) -> Bool {
    guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= Limits.pathLength, !path.utf8.contains(0) else {
      return false
    }
    for name in path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      if name.isEmpty || name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) { return false }
    }
    return true
  }

  /// The id of the plugin in a file `<id>.so`. Throws `.invalidArgument`.
  static func id(_ path: String) throws(SegueError) -> PluginID {
    guard isPlain(path) else {
      throw SegueError(
        .invalidArgument, "\(shown(path)) is not a plugin's path",
        advice: "Give an absolute path of at most \(Limits.pathLength) bytes, without . and .. in it.")
    }
    let name = String(path[(path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)...].dropFirst())
    guard let id = name.rest(before: ".so").flatMap({ PluginID($0) }) else {
      throw SegueError(
        .invalidArgument, "\(shown(path)) has not the name of a plugin",
        advice: "A plugin's file is named by its id, a reversed domain name: org.example.place.so.")
    }
    return id
  }

  /// The path without its last element; empty for a file in the root.
  static func parent(_ path: String) -> String {
    String(path[..<(path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)])
  }

  static func shown(_ path: String) -> String { DisplayText.clean(path, maximum: Limits.pathLength) }
}
