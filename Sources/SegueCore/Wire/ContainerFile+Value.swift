extension ContainerFile {
  /// The file as messages and the store have it. Their one difference is the URL: in a message it is a `url`, in the
  /// store a `string`.
  public func value(url: Value) -> Value { ["url": url, "container": .string(container), "path": .string(path)] }

  /// Nil where a field is missing, or `url` finds none in its value. The path is checked where the file is opened.
  public init?(_ value: Value, url: (Value) -> String?) {
    guard case .dictionary(let entries) = value, let url = entries["url"].flatMap(url),
      let container = entries["container"]?.string, let path = entries["path"]?.string
    else { return nil }
    self.init(url: url, container: container, path: path)
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
