import SegueCore
import SegueEngine

/// The choices about sharing that the user has made by commands, in sharing.conf (semantics X5).
public struct SharingFile: Equatable, Sendable {
  public private(set) var choices = SharingChoices()
  public let path: String

  /// Throws for a file that cannot be understood: a choice that was lost must not open what it has closed.
  public init(readingFrom folder: String) throws(SegueError) {
    path = folder + "/sharing.conf"
    choices = try Self.read(path)
  }

  /// Reads the file anew, after somebody else may have changed it. Throws as above; nothing has changed then.
  public mutating func reread() throws(SegueError) { choices = try Self.read(path) }

  /// Changes the choices and writes them down. Throws `limitExceeded`, `system` and the errors of `change`; nothing has
  /// changed then.
  public mutating func change(_ change: (inout SharingChoices) throws(SegueError) -> Void) throws(SegueError) {
    var changed = choices
    try change(&changed)
    guard !changed.areTooMany else {
      throw SegueError(
        .limitExceeded, "\(path) holds as many choices of this kind as it may.", advice: "Take one back first.")
    }
    var file = KeyFile()
    try changed.write(to: &file)
    try File.makeParents(of: path)
    try File.replace(path, Array(file.text.utf8))
    choices = changed
  }

  /// The choices that a file's group [Policy] holds; none where there is no file.
  public static func read(_ path: String) throws(SegueError) -> SharingChoices {
    guard let bytes = try File.read(path, asSettings: true) else { return SharingChoices() }
    do throws(SegueError) {
      return try SharingChoices(KeyFile(bytes))
    } catch {
      throw SegueError(.invalidArgument, "\(path): \(error.message).", advice: "Fix the file, or remove it.")
    }
  }
}
