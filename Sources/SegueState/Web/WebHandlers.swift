import CLinux
import SegueCore
import SegueEngine

/// The desktop's programs for web pages: "Association between MIME types and applications" 1.0.1, for the type
/// `x-scheme-handler/<scheme>`, and the programs that `xdg-open` tries if no list names one for that type. Segue's own
/// handler is none of them. The lists are read anew each time: a query is rare, and a choice since the last one must
/// count.
public struct WebHandlers {
  private let settings: RegistrySettings
  private let places: MimeLists
  /// The programs that count after the desktop's choices, the best first.
  private let named: [String]

  /// `usesNamed`: whether the programs that the environment names count. If a link comes back, one of these has handed
  /// it on.
  public init(_ settings: RegistrySettings, usesNamed: Bool = true, environment: (String) -> String?) {
    self.settings = settings
    places = MimeLists(environment: environment)
    let chosen = usesNamed ? (environment("BROWSER") ?? "").parts(at: ":").prefix(Limits.environmentItems) : []
    let isGraphical = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment($0)?.isEmpty == false }
    named = chosen + (isGraphical ? Self.usual : [])
  }

  /// Whether a file of that name is a list of the programs for each MIME type.
  public static func isList(_ name: String) -> Bool {
    name.ends(with: "mimeapps.list") || [cacheList, legacyList].contains(name)
  }

  private static let legacyList = "defaults.list"
  private static let cacheList = "mimeinfo.cache"

  /// The programs to try if no list names one: Debian's choice, and the browsers by their usual names.
  private static let usual = [
    "x-www-browser", "firefox", "firefox-esr", "epiphany", "konqueror", "chromium", "chromium-browser",
    "google-chrome",
  ]

  /// The directories that hold the user's choice, besides the data directories.
  public var watchedFolders: [String] { places.folders }

  /// What the kernel says of the lists, and of the folders of the programs; nil for what is not there. As long as nothing
  /// of it changes, and no desktop file is rewritten in its place, a look finds the same program.
  public var identities: [FileIdentity?] {
    let own = places.folders.flatMap { folder in places.names.map { folder + "/" + $0 } }
    let data = dataFolders.flatMap { folder in
      [folder] + (places.names + [Self.legacyList, Self.cacheList]).map { folder + "/" + $0 }
    }
    return (own + data).map { FileIdentity(at: $0) }
  }

  /// The id of the desktop file of the default browser; nil if there is none.
  public var browser: String? { handler(ofScheme: "https")?.id }

  /// Whether the desktop opens https links with `segue open`.
  public var opensLinks: Bool { opensLinks(ofScheme: "https") }

  /// Whether the desktop opens pages of that scheme with `segue open`.
  public func opensLinks(ofScheme scheme: String) -> Bool {
    let type = MimeLists.type(ofScheme: scheme)
    let chosen = lists.joined().flatMap { ids($0, MimeLists.defaults, type) }
    return chosen.first { $0 == MimeLists.links || handler($0) != nil } == MimeLists.links
  }

  /// The program that opens pages of a scheme, http or https; nil if there is none.
  public func handler(ofScheme scheme: String) -> WebHandler? {
    let lists = lists
    let own = MimeLists.type(ofScheme: scheme)
    let other = MimeLists.type(ofScheme: scheme == "https" ? "http" : "https")
    if let listed = listed(own, lists) { return listed }
    let (best, second) = installed(own, other)
    if let best { return best }
    // A browser was chosen, but not for this scheme.
    if let listed = listed(other, lists) ?? second ?? chosen("text/html", lists) { return listed }
    return named.lazy.compactMap { WebHandler(named: $0, settings) }.first
  }

  private var dataFolders: [String] { settings.directories.map { $0.path + "/applications" } }

  /// The lists of each directory, in the order in which they count.
  private var lists: [[KeyFile]] {
    places.folders.map { folder in places.names.compactMap { read(folder + "/" + $0) } }
      + dataFolders.map { folder in (places.names + [Self.legacyList]).compactMap { read(folder + "/" + $0) } }
  }

  /// The program that the user, or the desktop, has chosen for a type, if it is installed.
  private func chosen(_ type: String, _ lists: [[KeyFile]]) -> WebHandler? {
    lists.joined().lazy.flatMap { ids($0, MimeLists.defaults, type) }.compactMap { handler($0) }.first
  }

  private func listed(_ type: String, _ lists: [[KeyFile]]) -> WebHandler? {
    if let chosen = chosen(type, lists) { return chosen }
    // No default was chosen, or the default is no longer installed.
    var removed: TextSet = []
    for (index, files) in lists.enumerated() {
      for file in files {
        for id in ids(file, MimeLists.added, type) where !removed.contains(id) {
          if let handler = handler(id) { return handler }
        }
        removed.formUnion(TextSet(of: ids(file, MimeLists.removed, type)))
      }
      guard index >= places.folders.count else { continue }
      guard let cache = read(dataFolders[index - places.folders.count] + "/" + Self.cacheList) else { continue }
      for id in ids(cache, "MIME Cache", type) where !removed.contains(id) {
        if let handler = handler(id) { return handler }
      }
    }
    return nil
  }

  /// The programs whose own desktop files name the types, if no cache has recorded it.
  private func installed(_ type: String, _ other: String) -> (WebHandler?, WebHandler?) {
    var best: (WebHandler?, WebHandler?)
    func take(_ found: WebHandler, _ type: String, _ best: inout WebHandler?) {
      guard found.types.contains(where: { $0.isSame(as: type) }) else { return }
      if found.preference > best?.preference ?? .min { best = found }
    }
    var left = Limits.desktopFilesSearched
    for folder in dataFolders {
      let names = File.names(in: folder, endingIn: ".desktop", first: left)
      left -= names.count
      for name in names {
        guard let found = handler(name, mentioning: Self.mark) else { continue }
        take(found, type, &best.0)
        take(found, other, &best.1)
      }
    }
    return best
  }

  /// The types of both schemes begin so. Most files do not have it, and are not parsed.
  private static let mark = MimeLists.type(ofScheme: "http")

  private func read(_ path: String) -> KeyFile? {
    guard let bytes = (try? File.read(path)) ?? nil else { return nil }
    return try? KeyFile(bytes, mode: .lenient)
  }

  private static func has(_ bytes: [UInt8], _ text: String) -> Bool {
    bytes.withUnsafeBytes { segue_contains($0.baseAddress, $0.count, text) != 0 }
  }

  private func ids(_ file: KeyFile, _ group: String, _ type: String) -> [String] {
    ((try? file.list(group, type)) ?? nil) ?? []
  }

  /// The first desktop file with that id counts, even if it hides the program. `text`: one without it counts as none.
  private func handler(_ id: String, mentioning text: String? = nil) -> WebHandler? {
    guard id != MimeLists.links, id.ends(with: ".desktop"), !id.has("/"), !id.begins(with: "."),
      id.utf8.count <= Limits.nameLength
    else { return nil }
    for directory in settings.directories {
      for name in Self.names(id) {
        let path = directory.path + "/applications/" + name
        guard let bytes = (try? File.read(path)) ?? nil else { continue }
        if let text, !Self.has(bytes, text) { return nil }
        guard let file = try? KeyFile(bytes, mode: .lenient) else { continue }
        return WebHandler(file, id: id, path: path, settings: settings)
      }
    }
    return nil
  }

  /// The paths of a desktop file id: a dash may stand for a slash, in subdirectories (Desktop Entry Specification,
  /// "Desktop File ID").
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
