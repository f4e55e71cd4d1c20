import Crypto
import SegueCore
import SegueState
import SegueWeb

/// The files in which calibre's viewer keeps what it has opened and where, and its processes. Seen of calibre 6.13:
/// viewer-webengine.json has the books in `session_data.standalone_recently_opened`, the last one first, rewritten when
/// a book is open; viewer/annots/HASH.json, with the SHA-256 of the book's path, has an entry of type `last-read`,
/// written 3 s after a page was turned and at the end.
struct CalibreFiles {
  let folder: String
  static let settings = "viewer-webengine.json"
  var places: String { folder + "/viewer/annots" }

  private static let rules = JSONReader.Rules(
    length: Limits.bridgeRecord, depth: Limits.bridgeDepth, values: Limits.bridgeRecord, isOfJavaScript: true)

  /// The user's own; nil without a home.
  init?() {
    let config =
      environment("XDG_CONFIG_HOME").flatMap { $0.begins(with: "/") ? $0 : nil }
      ?? environment("HOME").map { $0 + "/.config" }
    guard let folder = environment("CALIBRE_CONFIG_DIRECTORY") ?? config.map({ $0 + "/calibre" }) else { return nil }
    self.init(folder: folder)
  }

  init(folder: String) { self.folder = folder }

  func books() -> [Book] { read(folder + "/" + Self.settings).map(Self.books) ?? [] }

  static func books(_ node: JSONNode) -> [Book] {
    (node["session_data"]?["standalone_recently_opened"]?.items ?? []).prefix(Limits.bridgePlayers).compactMap {
      guard let path = $0["pathtoebook"]?.text, path.utf8.count <= Limits.bridgeText, let file = FileURL(path: path)
      else { return nil }
      return Book(file: file, title: $0["title"]?.text ?? "", opened: $0["timestamp"]?.text ?? "")
    }
  }

  func place(in file: FileURL) -> BookPlace? { read(places + "/" + Self.name(of: file)).flatMap(Self.place) }

  static func place(_ node: JSONNode) -> BookPlace? {
    for entry in node.items where entry["type"]?.text == "last-read" && entry["pos_type"]?.text == "epubcfi" {
      return entry["pos"]?.text.flatMap { BookPlace(calibre: $0) }
    }
    return nil
  }

  /// The name of the file that has a book's place.
  static func name(of file: FileURL) -> String {
    SHA256.hash(data: Array(file.path.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + ".json"
  }

  private func read(_ path: String) -> JSONNode? {
    guard let bytes = try? File.read(path, maximum: Limits.bridgeRecord) else { return nil }
    return try? JSONReader.read(bytes, Self.rules)
  }

  // MARK: Processes

  /// The viewers of this user, by the words that they were started with.
  static func viewers() -> [BookViewer] { UserProcess.all().compactMap(viewer) }

  private static func viewer(_ process: UserProcess) -> BookViewer? {
    let words = process.words
    // Started by itself, or by calibre's window, which names the book in another way.
    let names = words.prefix(2).map { $0.pathParts?.name ?? $0 }
    guard names.contains("ebook-viewer") || names.contains("calibre-parallel") else { return nil }
    guard names.contains("ebook-viewer"), words.count > 1, let last = words.last, !names.contains(last) else {
      return BookViewer(process: process.number, file: nil)
    }
    return BookViewer(process: process.number, file: FileURL(path: process.whole(last)))
  }
}
