extension ContainerFile: WireMessage {
  /// The path is judged where the file is opened.
  public init(_ fields: inout WireFields, _ own: ContainerFile?) throws(SegueError) {
    guard let url = try fields("url", own.map { Value.url($0.url) }).url else { throw fields.malformed }
    self.init(url: url, container: try fields("container", own?.container), path: try fields("path", own?.path))
  }

  private static let url: Value = "url"

  /// As the store has it: the URL, which is a `url` in a message, is a `string` there.
  public var stored: Value {
    var entries = WireFields(of: self).entries
    entries[Self.url] = .string(url)
    return .dictionary(entries)
  }

  /// Nil where a part is missing.
  public static func of(stored: Value) -> ContainerFile? {
    guard var entries = stored.dictionary else { return nil }
    entries[Self.url] = entries[Self.url]?.string.map { .url($0) }
    return of(field: .dictionary(entries))
  }
}

extension ContainerFile {
  /// Bytes that it takes in the head of a fetch's answer, roughly and not too few.
  var length: Int { url.utf8.count &+ container.utf8.count &+ path.utf8.count &+ 48 }

  /// As many of the files, from the first on, as one snapshot may name.
  public static func fitting(_ files: [ContainerFile]) -> [ContainerFile] {
    var length = 0
    return Array(
      files.prefix(Limits.filesPerSnapshot).prefix { file in
        length &+= file.length
        return length <= Limits.filesLength
      })
  }
}
