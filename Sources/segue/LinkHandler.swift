import SegueCore
import SegueState

/// Whether the desktop hands the links that the user follows to `segue open`: the user's choice of a program for https,
/// in mimeapps.list. The browser that was chosen before stays behind it in the list, and opens what no application does.
struct LinkHandler {
  /// The desktop file that `make install` brings.
  static let id = "org.segue.Links.desktop"
  static let type = "x-scheme-handler/https"

  private let folder: String
  /// Lists of desktops, which count before the common one.
  private let others: [String]

  /// Throws `notFound` where the environment names no folder.
  init(environment: (String) -> String?) throws(SegueError) {
    let home = environment("HOME").map { $0 + "/.config" }
    guard let folder = environment("XDG_CONFIG_HOME").flatMap({ $0.hasPrefix("/") ? $0 : nil }) ?? home else {
      throw SegueError(.notFound, "There is no folder for settings: HOME is not set.")
    }
    self.folder = folder
    others = (environment("XDG_CURRENT_DESKTOP") ?? "").split(separator: ":").prefix(Limits.environmentItems)
      .map { $0.lowercased() + "-mimeapps.list" }.filter { !$0.contains("/") }
  }

  private var path: String { folder + "/mimeapps.list" }

  private func read(_ path: String) throws(SegueError) -> MimeApplications {
    MimeApplications(String(decoding: try File.read(path) ?? [], as: UTF8.self))
  }

  /// Throws what is in the way; nothing has changed then.
  func set(on: Bool) throws(SegueError) {
    for name in others where on {
      let programs = try read(folder + "/" + name).programs(MimeApplications.defaults, Self.type)
      guard programs.isEmpty || programs.first == Self.id else {
        throw SegueError(
          .invalidArgument,
          "\(folder)/\(name) counts before mimeapps.list, and names another program for \(Self.type).",
          advice: "Remove that line there, then say it again.")
      }
    }
    var list = try read(path)
    for group in [MimeApplications.defaults, MimeApplications.added] {
      let rest = list.programs(group, Self.type).filter { $0 != Self.id }
      list.set(group, Self.type, to: (on ? [Self.id] : []) + rest)
    }
    try File.makeParents(of: path)
    try File.replace(path, Array(list.text.utf8))
  }
}
