import SegueCore
import SegueState

/// The desktop's default program for web pages: "Association between MIME types and applications" 1.0.1, for the type
/// `x-scheme-handler/<scheme>`. Read anew each time: it is asked seldom, and a choice in between counts.
struct WebHandlers {
  private let settings: RegistrySettings
  private let configFolders: [String]
  private let desktops: [String]

  init(_ settings: RegistrySettings, environment: (String) -> String?) {
    self.settings = settings
    let home = environment("HOME").map { $0 + "/.config" }
    let own = environment("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
    let others = (environment("XDG_CONFIG_DIRS") ?? "/etc/xdg").split(separator: ":").map(String.init)
    configFolders = ([own].compactMap { $0 } + others.prefix(Limits.environmentItems)).filter { $0.hasPrefix("/") }
    desktops = (environment("XDG_CURRENT_DESKTOP") ?? "").split(separator: ":").prefix(Limits.environmentItems)
      .map { $0.lowercased() }.filter { !$0.contains("/") }
  }

  /// Whether a file of that name says which program opens what.
  static func isList(_ name: String) -> Bool { name.hasSuffix("mimeapps.list") || name == "mimeinfo.cache" }

  /// The entry by which links reach `segue open`. It is no browser: what is opened in one never goes to it.
  static let own = "org.segue.Links.desktop"

  /// Where the user's choice is kept, besides the data folders.
  var watchedFolders: [String] { configFolders }

  /// The id of the desktop file of the default browser; nil where there is none.
  var browser: String? { Self.page.flatMap { handler(for: $0) }?.id }

  /// Whether `segue open` is what the desktop opens links with.
  var opensLinks: Bool { Self.page.map { opensLinks(like: $0) } ?? false }

  /// Any page.
  private static let page = WebURL("https://localhost/")

  /// Whether `segue open` is what the desktop opens such a page with.
  func opensLinks(like page: WebURL) -> Bool {
    let type = Self.type(of: page)
    let chosen = lists.joined().flatMap { ids($0, "Default Applications", type) }
    return chosen.first { $0 == Self.own || handler($0, page) != nil } == Self.own
  }

  private static func type(of page: WebURL) -> String { "x-scheme-handler/" + page.string.prefix { $0 != ":" } }

  private var dataFolders: [String] { settings.directories.map { $0.path + "/applications" } }

  /// The lists of each folder, the first that counts first.
  private var lists: [[KeyFile]] {
    (configFolders + dataFolders).map { folder in
      (desktops.map { $0 + "-mimeapps.list" } + ["mimeapps.list"]).compactMap { read(folder + "/" + $0) }
    }
  }

  /// The browser that opens `page`; nil where there is none.
  func handler(for page: WebURL) -> WebHandler? {
    let (type, lists) = (Self.type(of: page), lists)
    for id in lists.joined().flatMap({ ids($0, "Default Applications", type) }) {
      if let handler = handler(id, page) { return handler }
    }
    // No default was chosen, or it is not installed any more.
    var removed: Set<String> = []
    for (index, files) in lists.enumerated() {
      for file in files {
        for id in ids(file, "Added Associations", type) where !removed.contains(id) {
          if let handler = handler(id, page) { return handler }
        }
        removed.formUnion(ids(file, "Removed Associations", type))
      }
      guard index >= configFolders.count else { continue }
      guard let cache = read(dataFolders[index - configFolders.count] + "/mimeinfo.cache") else { continue }
      for id in ids(cache, "MIME Cache", type) where !removed.contains(id) {
        if let handler = handler(id, page) { return handler }
      }
    }
    return nil
  }

  private func read(_ path: String) -> KeyFile? {
    guard let bytes = (try? File.read(path)) ?? nil else { return nil }
    return try? KeyFile(bytes, mode: .lenient)
  }

  private func ids(_ file: KeyFile, _ group: String, _ type: String) -> [String] {
    ((try? file.list(group, type)) ?? nil) ?? []
  }

  /// The first desktop file of that id counts, also where it takes the program away.
  private func handler(_ id: String, _ page: WebURL) -> WebHandler? {
    guard id != Self.own, id.hasSuffix(".desktop"), !id.contains("/"), !id.hasPrefix("."),
      id.utf8.count <= Limits.nameLength
    else { return nil }
    for directory in settings.directories {
      for name in Self.names(id) {
        let path = directory.path + "/applications/" + name
        guard let file = read(path) else { continue }
        return WebHandler(file, id: id, path: path, page: page, settings: settings)
      }
    }
    return nil
  }

  /// In subfolders a slash is a dash (Desktop Entry Specification, "Desktop File ID").
  private static func names(_ id: String) -> [String] {
    var names = [id]
    var name = id
    while let dash = name.firstIndex(of: "-"), names.count < Limits.environmentItems {
      name.replaceSubrange(dash...dash, with: "/")
      names.append(name)
    }
    return names
  }
}
