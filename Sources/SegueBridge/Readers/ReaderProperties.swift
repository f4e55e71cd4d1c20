import SegueCore

/// A window of a reader of documents, as it says itself.
struct ReaderProperties: Equatable {
  /// The document; nil while there is none.
  var file: FileURL?
  /// From 1.
  var page: Int
  var pages: Int

  /// The state as `org.segue.open.Reading` has it; nil without a document.
  var userInfo: [Value: Value]? {
    guard let file else { return nil }
    var entries: [Value: Value] = [.string("uri"): .url(file.string)]
    guard pages > 0, (1...pages).contains(page) else { return entries }
    entries[.string("page")] = .integer(Int64(page))
    entries[.string("pages")] = .integer(Int64(pages))
    entries[.string("fraction")] = .double(Double(page - 1) / Double(pages))
    return entries
  }

  var title: String { file.map { DisplayText.clean($0.path.pathParts?.name ?? "") } ?? "" }
}

/// The place in a document that another device has sent (`org.segue.open.Reading`), checked.
struct ReadingPlace: Equatable {
  let file: FileURL
  /// From 1; nil where only the document is known.
  var page: Int?
  /// 0 to 1, of the whole.
  var fraction: Double?

  /// No document has more pages.
  private static let far = 1_000_000_000

  /// Nil where it is no file: a page of the web is for a browser.
  init?(_ userInfo: [Value: Value]) {
    guard case .file(let file) = OpenAddress(userInfo) else { return nil }
    self.file = file
    page = userInfo[.string("page")]?.integer.flatMap { Int(exactly: $0) }.flatMap {
      (1...Self.far).contains($0) ? $0 : nil
    }
    fraction = userInfo[.string("fraction")]?.double.flatMap { (0...1).contains($0) ? $0 : nil }
  }

  /// The page in a document of so many; 1 where nothing says which.
  func page(of pages: Int) -> Int {
    guard pages > 0 else { return 1 }
    let wanted = page ?? fraction.map { Int($0 * Double(pages)) + 1 } ?? 1
    return min(max(wanted, 1), pages)
  }
}
