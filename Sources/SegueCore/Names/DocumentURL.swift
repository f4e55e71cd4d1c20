// A document's URL in userInfo (semantics C15, R7).

extension FileURL {
  /// The key under which a document's URL stands.
  public static var documentKey: Value { .string("SegueDocumentURL") }

  /// The document that userInfo names.
  public init?(documentIn userInfo: [Value: Value]) {
    guard let url = userInfo[Self.documentKey]?.url else { return nil }
    self.init(url)
  }

  /// The path's last element: the file's name. Empty for "/".
  public var name: String {
    path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(decoding: Array($0), as: UTF8.self) } ?? ""
  }
}
