import CLinux
import SegueCore

/// The directories from which plugins may be loaded: the application's own, if it has one, before the system's. The
/// environment names neither.
public struct PluginFolders {
  let all: [PluginFolder]

  /// The process and the user for which it acts.
  struct Process {
    let user: uid_t
    /// Whether it has rights that its caller has not: then only root's files are loaded.
    let isSetID: Bool

    static func current() -> Process { Process(user: geteuid(), isSetID: getauxval(UInt(AT_SECURE)) != 0) }
  }

  /// `prefix`: where the application is installed, set at its build. Throws `.invalidArgument`.
  public init(prefix: String?) throws(SegueError) {
    try self.init(
      prefix: prefix, library: segue_library_path().flatMap { String(validatingCString: $0) }, process: .current())
  }

  /// `library`: the shared library that plugins of the system are installed for; nil if there is none.
  init(prefix: String?, library: String?, process: Process) throws(SegueError) {
    var folders: [PluginFolder] = []
    if let prefix {
      let trimmed = prefix.utf8.count > 1 ? prefix.rest(before: "/") ?? prefix : prefix
      guard trimmed == "/" || PluginPath.isPlain(trimmed) else {
        throw SegueError(
          .invalidArgument, "The prefix \(PluginPath.shown(prefix)) is not an absolute path",
          advice: "Give the folder that the application is installed in, as /usr/local.")
      }
      if !process.isSetID {
        folders.append(
          PluginFolder(
            path: (trimmed == "/" ? "" : trimmed) + "/lib/segue/plugins", owners: PluginOwners(user: process.user)))
      }
    }
    // A relative path of the library depends on the directory in which the process was started.
    if let library, library.begins(with: "/") {
      folders.append(
        PluginFolder(path: PluginPath.parent(library) + "/segue/plugins", owners: PluginOwners(user: nil)))
    }
    all = folders
  }

  /// One directory of the user's or root's: for a plugin that is checked before it is installed.
  public init(only folder: String) {
    let process = Process.current()
    all = [PluginFolder(path: folder, owners: PluginOwners(user: process.isSetID ? nil : process.user))]
  }

  /// The path at which the plugin is installed; nil if it is in none of the directories. Any thread.
  public func path(of id: PluginID) -> String? {
    for folder in all {
      let path = "\(folder.path)/\(id.string).so"
      var status = stat()
      if lstat(path, &status) == 0 { return path }
    }
    return nil
  }

  /// The directory that a file is in, by the present targets of the paths. This only chooses: `PluginFolder.open`
  /// checks the chosen directory, by its own path.
  func folder(of path: String) throws(SegueError) -> PluginFolder {
    let parent = PluginPath.parent(path)
    var status = stat()
    guard stat(parent.isEmpty ? "/" : parent, &status) == 0 else {
      let code = segue_errno()
      throw PluginFolder.failure(parent, code, code == ELOOP ? "is a link that leads nowhere" : nil)
    }
    guard status.kind == S_IFDIR else { throw PluginFolder.failure(parent, ENOTDIR) }
    for folder in all {
      var other = stat()
      if stat(folder.path, &other) == 0, other.isSameFile(as: status) { return folder }
    }
    var places = ""
    for folder in all { places += (places.isEmpty ? "" : " or ") + PluginPath.shown(folder.path) }
    throw SegueError(
      .accessDenied, "\(PluginPath.shown(path)) is not in a folder that plugins are loaded from",
      advice: places.isEmpty ? "Give the application's own prefix." : "Install it in \(places).")
  }
}
