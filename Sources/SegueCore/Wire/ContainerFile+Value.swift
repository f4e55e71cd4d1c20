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
