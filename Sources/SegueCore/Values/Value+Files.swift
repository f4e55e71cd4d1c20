// The file URLs of a userInfo, which name other paths on each device (semantics R8).

extension Value {
  /// Each URL with the scheme `file` once, among values and keys at any depth, in the order of their bytes.
  public var fileURLs: [String] {
    var found = Set<Value>()
    collectFileURLs(into: &found)
    return found.compactMap { $0.url }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private func collectFileURLs(into found: inout Set<Value>) {
    switch self {
    case .url(let url):
      if url.utf8.prefix(5).map(lowerCased).elementsEqual("file:".utf8) { found.insert(self) }
    case .array(let values): for value in values { value.collectFileURLs(into: &found) }
    case .set(let values): for value in values { value.collectFileURLs(into: &found) }
    case .dictionary(let entries):
      for (key, value) in entries {
        key.collectFileURLs(into: &found)
        value.collectFileURLs(into: &found)
      }
    default: break
    }
  }

  /// This with each value and key that `replacements` has, at any depth, replaced by what it has for it.
  ///
  /// Throws if two keys of one dictionary would become the same, since one of the entries would be lost.
  public func replacing(_ replacements: [Value: Value]) throws(SegueError) -> Value {
    switch self {
    case .array(let values):
      var new: [Value] = []
      for value in values { new.append(try value.replacing(replacements)) }
      return .array(new)
    case .set(let values):
      var new = Set<Value>()
      for value in values { new.insert(try value.replacing(replacements)) }
      return .set(new)
    case .dictionary(let entries):
      var new: [Value: Value] = [:]
      for (key, value) in entries {
        let key = replacements[key] ?? key
        guard new.updateValue(try value.replacing(replacements), forKey: key) == nil else {
          throw SegueError(
            .handoffFailed, "Two keys of userInfo name one file on this device: \(DisplayText.quoted(key.url ?? "")).",
            advice: "The application must not use two URLs of one file as keys.")
        }
      }
      return .dictionary(new)
    default:
      return replacements[self] ?? self
    }
  }
}
