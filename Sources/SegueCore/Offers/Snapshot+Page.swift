extension Snapshot {
  /// userInfo's key for the document that the activity is of.
  private static let documentKey = Value.string("SegueDocumentURL")

  /// The web page that a browser shows if the application did not take the activity (semantics V7). Nil if the activity
  /// is about a document, or has no page, or a URL that no browser may be asked to open (attack 29).
  public var fallbackPage: WebURL? {
    guard let webpageURL, let page = WebURL(webpageURL) else { return nil }
    do throws(SegueError) {
      guard case .dictionary(let entries) = try CBOR.decode(userInfo), entries[Self.documentKey] == nil else {
        return nil
      }
      return page
    } catch {
      return nil
    }
  }
}
