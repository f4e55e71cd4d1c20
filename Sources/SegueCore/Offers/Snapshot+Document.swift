extension Snapshot {
  /// The document that userInfo names under the document key, as this device may use it (semantics V7).
  public enum Document: Equatable, Sendable {
    /// The key has no file's URL.
    case none
    /// A file that the application may be asked to open.
    case here
    /// A file of the other device that this one cannot have, since no folder that both share holds it. This device may
    /// have a file at the same path, but that file is none of the other device's business.
    case elsewhere
  }

  /// Decides what the document is, before the files' URLs are replaced. `isOfThisDevice`: it was saved here.
  public mutating func judgeDocument(isOfThisDevice: Bool) {
    document = .none
    guard let url = namedDocument else { return }
    document = isOfThisDevice || files.contains { $0.url.isSame(as: url) } ? .here : .elsewhere
  }

  private var namedDocument: String? {
    guard let url = (try? CBOR.entry(FileURL.documentKey, of: userInfo))?.url, FileURL(url) != nil else { return nil }
    return url
  }

  /// The web page that a browser may show (semantics W1).
  public var page: WebURL? { webpageURL.flatMap { WebURL($0) } }

  /// The web page that a browser shows if the application did not take the activity (semantics V7). Nil if the activity
  /// is about a document, or has no page.
  public var fallbackPage: WebURL? { document == .here ? nil : page }
}
