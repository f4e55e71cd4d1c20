import SegueCore

/// The desktop's programs for web pages: "Association between MIME types and applications" 1.0.1, for the type
/// `x-scheme-handler/<scheme>`, and what `xdg-open` tries where nothing is said of that type. Segue's own handler is
/// none of them. Read anew each time: it is asked seldom, and a choice in between counts.
public struct WebHandlers {
  private let settings: RegistrySettings
  private let places: MimeLists
  /// Programs that are no desktop's choice, the best first.
  private let named: [String]

  /// `usesNamed`: whether the programs that the environment names count. One of these has handed the link on, where
  /// it comes back.
  public init(_ settings: RegistrySettings, usesNamed: Bool = true, environment: (String) -> String?) {
    self.settings = settings
    places = MimeLists(environment: environment)
    let chosen = usesNamed ? (environment("BROWSER") ?? "").parts(at: ":").prefix(Limits.environmentItems) : []
    let isGraphical = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment($0)?.isEmpty == false }
    named = chosen + (isGraphical ? Self.usual : [])
  }

  /// Whether a file of that name says which program opens what.
  public static func isList(_ name: String) -> Bool {
    name.ends(with: "mimeapps.list") || ["mimeinfo.cache", legacyList].contains(name)
  }

  private static let legacyList = "defaults.list"

  /// What is installed where nothing else is known of: Debian's choice, and the browsers by their usual names.
  private static let usual = [
    "x-www-browser", "firefox", "firefox-esr", "epiphany", "konqueror", "chromium", "chromium-browser",
    "google-chrome",
  ]

  /// Where the user's choice is kept, besides the data folders.
  public var watchedFolders: [String] { places.folders }

  /// The id of the desktop file of the default browser; nil where there is none.
  public var browser: String? { handler(ofScheme: "https")?.id }

  /// Whether `segue open` is what the desktop opens https links with.
  public var opensLinks: Bool { opensLinks(ofScheme: "https") }

  /// Whether `segue open` is what the desktop opens pages of that scheme with.
  public func opensLinks(ofScheme scheme: String) -> Bool {
    let type = MimeLists.type(ofScheme: scheme)
    let chosen = lists.joined().flatMap { ids($0, MimeLists.defaults, type) }
    return chosen.first { $0 == MimeLists.links || handler($0) != nil } == MimeLists.links
  }

  /// The program that opens pages of a scheme, http or https; nil where there is none.
  public func handler(ofScheme scheme: String) -> WebHandler? {
    let lists = lists
    let own = MimeLists.type(ofScheme: scheme)
    let other = MimeLists.type(ofScheme: scheme == "https" ? "http" : "https")
    if let listed = listed(own, lists) ?? installed(own) { return listed }
    // A browser was chosen, and nobody has said that it is for this scheme too.
    if let listed = listed(other, lists) ?? installed(other) ?? chosen("text/html", lists) { return listed }
    return named.lazy.compactMap { WebHandler(named: $0, settings) }.first
  }

  private var dataFolders: [String] { settings.directories.map { $0.path + "/applications" } }

  /// The lists of each folder, the first that counts first.
  private var lists: [[KeyFile]] {
    places.folders.map { folder in places.names.compactMap { read(folder + "/" + $0) } }
      + dataFolders.map { folder in (places.names + [Self.legacyList]).compactMap { read(folder + "/" + $0) } }
  }

  /// What the user, or the desktop, has chosen for a type, if it is installed.
  private func chosen(_ type: String, _ lists: [[KeyFile]]) -> WebHandler? {
    lists.joined().lazy.flatMap { ids($0, MimeLists.defaults, type) }.compactMap { handler($0) }.first
  }

  private func listed(_ type: String, _ lists: [[KeyFile]]) -> WebHandler? {
    if let chosen = chosen(type, lists) { return chosen }
    // No default was chosen, or it is not installed any more.
    var removed: TextSet = []
    for (index, files) in lists.enumerated() {
      for file in files {
        for id in ids(file, MimeLists.added, type) where !removed.contains(id) {
          if let handler = handler(id) { return handler }
        }
        removed.formUnion(TextSet(of: ids(file, MimeLists.removed, type)))
      }
      guard index >= places.folders.count else { continue }
      guard let cache = read(dataFolders[index - places.folders.count] + "/mimeinfo.cache") else { continue }
      for id in ids(cache, "MIME Cache", type) where !removed.contains(id) {
        if let handler = handler(id) { return handler }
      }
    }
    return nil
  }

  /// The program that says of itself that it opens a type, where no cache has noted it.
  private func installed(_ type: String) -> WebHandler? {
    var best: WebHandler?
    var left = Limits.desktopFilesSearched
    for folder in dataFolders {
      for name in File.names(in: folder) where name.ends(with: ".desktop") && left > 0 {
        left -= 1
        guard let found = handler(name), found.types.contains(where: { $0.isSame(as: type) }) else { continue }
        if found.preference > best?.preference ?? .min { best = found }
      }
    }
    return best
  }

  private func read(_ path: String) -> KeyFile? {
    guard let bytes = (try? File.read(path)) ?? nil else { return nil }
    return try? KeyFile(bytes, mode: .lenient)
  }

  private func ids(_ file: KeyFile, _ group: String, _ type: String) -> [String] {
    ((try? file.list(group, type)) ?? nil) ?? []
  }

  /// The first desktop file of that id counts, also where it takes the program away.
  private func handler(_ id: String) -> WebHandler? {
    guard id != MimeLists.links, id.ends(with: ".desktop"), !id.has("/"), !id.begins(with: "."),
      id.utf8.count <= Limits.nameLength
    else { return nil }
    for directory in settings.directories {
      for name in Self.names(id) {
        let path = directory.path + "/applications/" + name
        guard let file = read(path) else { continue }
        return WebHandler(file, id: id, path: path, settings: settings)
      }
    }
    return nil
  }

  /// In subfolders a slash is a dash (Desktop Entry Specification, "Desktop File ID").
  private static func names(_ id: String) -> [String] {
    var names = [id]
    var name = Array(id.utf8)
    while let dash = name.firstIndex(of: UInt8(ascii: "-")), names.count < Limits.environmentItems {
      name[dash] = UInt8(ascii: "/")
      names.append(String(decoding: name, as: UTF8.self))
    }
    return names
  }
}
