import SegueCore

/// A file that is sent: what the state of the activity says of it.
struct SentFile: Equatable {
  /// Its address on the device that sends it.
  let url: String
  /// Its name, which is the other device's word: `FileName` makes one fit for a folder.
  let name: String
  let size: UInt64

  static func userInfo(_ files: [SentFile]) -> [Value: Value] {
    let list = files.map { file in
      Value.dictionary([
        "url": .url(file.url), "name": .string(file.name), "size": .integer(Int64(clamping: file.size)),
      ])
    }
    return ["files": .array(list)]
  }

  /// Throws `protocolViolation` for a state that names no files, or too many, or one of them twice.
  static func list(_ userInfo: [Value: Value]) throws(SegueError) -> [SentFile] {
    guard let list = userInfo["files"]?.array, !list.isEmpty, list.count <= Limits.sentFiles else {
      throw SegueError(.protocolViolation, "The state that came names no files.")
    }
    var files: [SentFile] = []
    for entry in list {
      guard let entry = entry.dictionary, let url = entry["url"]?.url, FileURL(url) != nil,
        let name = entry["name"]?.string, !files.contains(where: { $0.url.isSame(as: url) })
      else { throw SegueError(.protocolViolation, "The state that came does not say what its files are.") }
      files.append(SentFile(url: url, name: name, size: UInt64(clamping: entry["size"]?.integer ?? 0)))
    }
    return files
  }

  /// The name for several files together.
  static func title(_ names: [String]) -> String {
    names.count == 1 ? DisplayText.clean(names[0], maximum: Limits.titleMaximum) : "\(names.count) files"
  }
}
