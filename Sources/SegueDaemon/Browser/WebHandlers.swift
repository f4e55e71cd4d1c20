import SegueCore
import SegueState

/// The desktop's default program for web pages: "Association between MIME types and applications" 1.0.1, for the type
/// `x-scheme-handler/<scheme>`. Read anew each time: it is asked seldom, and a choice in between counts.
struct WebHandlers {
  private let settings: RegistrySettings
  private let places: MimeLists

  init(_ settings: RegistrySettings, environment: (String) -> String?) {
    self.settings = settings
    places = MimeLists(environment: environment)
  }

  /// Whether a file of that name says which program opens what.
  static func isList(_ name: String) -> Bool { name.hasSuffix("mimeapps.list") || name == "mimeinfo.cache" }

  /// Where the user's choice is kept, besides the data folders.
  var watchedFolders: [String] { places.folders }

  /// The id of the desktop file of the default browser; nil where there is none.
  var browser: String? { Self.page.flatMap { handler(for: $0) }?.id }

  /// Whether `segue open` is what the desktop opens links with.
  var opensLinks: Bool { Self.page.map { opensLinks(like: $0) } ?? false }

  /// Any page.
  private static let page = WebURL("https://localhost/")

  /// Whether `segue open` is what the desktop opens such a page with.
  func opensLinks(like page: WebURL) -> Bool {
    let type = Self.type(of: page)
    let chosen = lists.joined().flatMap { ids($0, MimeLists.defaults, type) }
    return chosen.first { $0 == MimeLists.links || handler($0, page) != nil } == MimeLists.links
  }

  private static func type(of page: WebURL) -> String { MimeLists.type(ofScheme: page.string.prefix { $0 != ":" }) }

  private var dataFolders: [String] { settings.directories.map { $0.path + "/applications" } }

  /// The lists of each folder, the first that counts first.
  private var lists: [[KeyFile]] {
    (places.folders + dataFolders).map { folder in places.names.compactMap { read(folder + "/" + $0) } }
  }

  /// The browser that opens `page`; nil where there is none.
  func handler(for page: WebURL) -> WebHandler? {
    let (type, lists) = (Self.type(of: page), lists)
    for id in lists.joined().flatMap({ ids($0, MimeLists.defaults, type) }) {
      if let handler = handler(id, page) { return handler }
    }
    // No default was chosen, or it is not installed any more.
    var removed: Set<String> = []
    for (index, files) in lists.enumerated() {
      for file in files {
        for id in ids(file, MimeLists.added, type) where !removed.contains(id) {
          if let handler = handler(id, page) { return handler }
        }
        removed.formUnion(ids(file, MimeLists.removed, type))
      }
      guard index >= places.folders.count else { continue }
      guard let cache = read(dataFolders[index - places.folders.count] + "/mimeinfo.cache") else { continue }
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
    guard id != MimeLists.links, id.hasSuffix(".desktop"), !id.contains("/"), !id.hasPrefix("."),
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
