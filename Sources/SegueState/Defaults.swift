import SegueCore

/// The user's choice for types that several applications continue (semantics V10), in defaults.conf.
public struct Defaults: Equatable {
  /// The chosen application of each type.
  public private(set) var applications: [ActivityType: AppID] = [:]
  private let path: String

  private static let group = "Default Applications"

  /// Throws for a file that cannot be understood.
  public init(readingFrom folder: String) throws(SegueError) {
    path = folder + "/defaults.conf"
    guard let bytes = try File.read(path, asSettings: true) else { return }
    do throws(SegueError) {
      let file = try KeyFile(bytes)
      for key in file.keys(Self.group) {
        guard let type = ActivityType(key), let id = try file.string(Self.group, key).flatMap({ AppID($0) }) else {
          throw SegueError(.invalidArgument, "\(DisplayText.clean(key)) is no activity type with an application id")
        }
        applications[type] = id
      }
    } catch {
      throw SegueError(.invalidArgument, "\(path): \(error.message).", advice: "Mend the file, or remove it.")
    }
  }

  /// Sets the choice for a type, or removes it. Throws `system`; nothing has changed then.
  public mutating func set(_ type: ActivityType, to id: AppID?) throws(SegueError) {
    var changed = applications
    changed[type] = id
    var file = KeyFile()
    for (type, id) in changed.sorted(by: { $0.key.string < $1.key.string }) {
      try file.set(Self.group, type.string, to: id.string)
    }
    try File.makeParents(of: path)
    try File.replace(path, Array(file.text.utf8))
    applications = changed
  }
}
