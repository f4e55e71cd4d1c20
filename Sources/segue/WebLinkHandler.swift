import Glibc
import SegueCore
import SegueState

/// Whether the desktop hands the links that the user follows to `segue open`: the user's choice of a program for https,
/// in mimeapps.list. The browser that was chosen before stays behind it in the list, and opens what no application
/// does.
struct WebLinkHandler {
  private static let type = MimeLists.type(ofScheme: "https")

  private let lists: MimeLists
  private let folder: String
  private let handlers: WebHandlers

  /// Throws `notFound` where the environment names no folder.
  init(environment: (String) -> String?) throws(SegueError) {
    lists = MimeLists(environment: environment)
    guard let own = lists.own else {
      throw SegueError(.notFound, "There is no folder for settings: HOME is not set.")
    }
    folder = own
    handlers = WebHandlers(RegistrySettings(environment: environment), environment: environment)
  }

  private func read(_ path: String) throws(SegueError) -> MimeApplications {
    let bytes = try File.read(path) ?? []
    do throws(SegueError) { return try MimeApplications(bytes) } catch {
      throw SegueError(.invalidArgument, "\(path): \(error.message).", advice: "Fix the file, or remove it.")
    }
  }

  /// Throws the obstacle; then no file has changed.
  func set(on: Bool) throws(SegueError) {
    guard !on || handlers.handler(ofScheme: "https") != nil else {
      throw SegueError(
        .notFound, "No browser was found behind Segue, to which all other links would go.",
        advice: "Install one, or choose one in the settings of the desktop; then run the command again.")
    }
    for name in lists.names.dropLast() where on {
      let programs = try read(folder + "/" + name).programs(MimeLists.defaults, Self.type)
      guard programs.isEmpty || programs.first == MimeLists.links else {
        throw SegueError(
          .invalidArgument,
          "\(folder)/\(name) counts before mimeapps.list, and names another program for \(Self.type).",
          advice: "Remove that line there, then run the command again.")
      }
    }
    let path = folder + "/mimeapps.list"
    var list = try read(path)
    for group in [MimeLists.defaults, MimeLists.added] {
      let rest = try list.programs(group, Self.type).filter { $0 != MimeLists.links }
      try list.set(group, Self.type, to: (on ? [MimeLists.links] : []) + rest)
    }
    try File.makeParents(of: path)
    try write(list.bytes, to: path)
  }

  /// The file may be a link into a folder in which its user keeps all settings, and others may read it.
  private func write(_ bytes: [UInt8], to path: String) throws(SegueError) {
    var status = stat()
    let mode = stat(path, &status) == 0 ? status.st_mode & 0o777 : 0o644
    let target = realpath(path, nil).map { found in
      defer { free(found) }
      return String(cString: found)
    }
    try File.replace(target ?? path, bytes, mode: mode)
  }
}
