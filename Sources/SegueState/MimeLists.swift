import SegueCore

/// The places of the lists that name the program for each MIME type: the mimeapps.list files of the user and the
/// machine ("Association between MIME types and applications" 1.0.1).
public struct MimeLists {
  /// The groups of a list.
  public static let defaults = "Default Applications"
  public static let added = "Added Associations"
  public static let removed = "Removed Associations"

  /// The desktop file by which links reach `segue open`. It is not a browser: links that are opened in a browser never
  /// go to it.
  public static let links = "org.segue.Links.desktop"

  /// The user's own directory; nil if the environment names none.
  public let own: String?
  /// All directories of configuration, in the order in which they count.
  public let folders: [String]
  /// The names of the lists in a directory: the lists of desktops count before the common one, which is the last.
  public let names: [String]

  public init(environment: (String) -> String?) {
    let home = environment("HOME").map { $0 + "/.config" }
    let named = environment("XDG_CONFIG_HOME").flatMap { $0.begins(with: "/") ? $0 : nil } ?? home
    own = named.flatMap { $0.begins(with: "/") ? $0 : nil }
    let others = (environment("XDG_CONFIG_DIRS") ?? "/etc/xdg").parts(at: ":")
    folders = [own].compactMap { $0 } + others.prefix(Limits.environmentItems).filter { $0.begins(with: "/") }
    let desktops = (environment("XDG_CURRENT_DESKTOP") ?? "").parts(at: ":").prefix(Limits.environmentItems)
    names = desktops.map { $0.lowercased() + "-mimeapps.list" }.filter { !$0.has("/") } + ["mimeapps.list"]
  }

  /// The key for the program that opens pages of a scheme.
  public static func type(ofScheme scheme: some StringProtocol) -> String { "x-scheme-handler/" + scheme }
}
