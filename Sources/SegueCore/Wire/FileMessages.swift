// The messages on a file's channel before the file's bytes: the request that opens it, and the head of the answer. The
// file's bytes from the agreed offset on follow the head, then the SHA-256 of the whole file.

/// A file's first message, on a channel of its own: the application that continues an activity wants a file that the
/// activity's userInfo names.
public struct FileRequest: Equatable, Sendable {
  /// The continuation by which the device has fetched the activity.
  public var continuation: Identifier
  public var activity: Identifier
  /// The URL as it stands in userInfo.
  public var url: String
  /// How many bytes are here already, and their version; 0 and empty at first.
  public var offset: UInt64
  public var version: [UInt8]

  public init(
    continuation: Identifier, activity: Identifier, url: String, offset: UInt64 = 0, version: [UInt8] = []
  ) {
    self.continuation = continuation
    self.activity = activity
    self.url = url
    self.offset = offset
    self.version = version
  }

  public func encode() throws(SegueError) -> [UInt8] {
    var entries: [Value: Value] = [
      "kind": "file", "continuation": .uuid(continuation), "activity": .uuid(activity), "url": .string(url),
    ]
    if offset > 0 {
      entries["offset"] = .integer(Int64(clamping: offset))
      entries["version"] = .data(version)
    }
    return try CBOR.encode(.dictionary(entries))
  }

  /// Throws `protocolViolation` for a malformed message, and for a URL that is not a file's.
  public static func decode(_ bytes: [UInt8]) throws(SegueError) -> FileRequest {
    let entries = try LinkMessage.dictionary(bytes)
    guard entries["kind"]?.string == "file", let continuation = entries["continuation"]?.uuid,
      let activity = entries["activity"]?.uuid, let url = entries["url"]?.string, FileURL(url) != nil
    else { throw LinkMessage.malformed }
    var request = FileRequest(continuation: continuation, activity: activity, url: url)
    // One without the other says nothing: the file comes from its beginning.
    if let offset = entries["offset"]?.integer.flatMap({ UInt64(exactly: $0) }), let version = entries["version"]?.data,
      version.count <= Limits.fileVersionLength
    {
      (request.offset, request.version) = (offset, version)
    }
    return request
  }
}

/// The head of the answer.
public enum FileHead: Equatable, Sendable {
  /// The file's bytes follow, from the offset on: what was asked for, or 0 where it is another version.
  case file(Description)
  case failure(SegueError)

  /// A file as its device has it now.
  public struct Description: Equatable, Sendable {
    public var size: UInt64
    /// A value that differs after each change of the file. Its content means something only to the file's device.
    public var version: [UInt8]
    public var offset: UInt64

    public init(size: UInt64, version: [UInt8], offset: UInt64) {
      self.size = size
      self.version = version
      self.offset = offset
    }
  }

  /// Bytes of what stands behind the file: a SHA-256.
  public static let digestLength = 32

  /// A big-endian length, and the head.
  public func encode() throws(SegueError) -> [UInt8] {
    let head: Value =
      switch self {
      case .file(let file):
        .dictionary([
          "kind": "file", "size": .integer(Int64(clamping: file.size)), "version": .data(file.version),
          "offset": .integer(Int64(clamping: file.offset)),
        ])
      case .failure(let error):
        .dictionary([
          "kind": "failure", "code": .integer(Int64(error.code.rawValue)), "message": .string(error.message),
        ])
      }
    let bytes = try CBOR.encode(head)
    let length = UInt32(truncatingIfNeeded: bytes.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 &- 8 &* UInt32($0))) } + bytes
  }

  /// Reads the head from what has arrived so far. Nil: not all of it is here. `length`: where the file's bytes begin.
  /// Throws `protocolViolation` for one that is too long, as soon as its length is known, or malformed.
  public static func decode(_ bytes: [UInt8]) throws(SegueError) -> (head: FileHead, length: Int)? {
    guard bytes.count >= 4 else { return nil }
    let length = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
    guard length <= Limits.streamHeadLength else { throw LinkMessage.malformed }
    guard length <= bytes.count &- 4 else { return nil }
    let head = try LinkMessage.dictionary(Array(bytes[4..<(4 &+ length)]))
    switch head["kind"]?.string {
    case "file":
      guard let size = head["size"]?.integer.flatMap({ UInt64(exactly: $0) }), let version = head["version"]?.data,
        version.count <= Limits.fileVersionLength,
        let offset = head["offset"]?.integer.flatMap({ UInt64(exactly: $0) }), offset <= size
      else { throw LinkMessage.malformed }
      return (.file(Description(size: size, version: version, offset: offset)), 4 &+ length)
    case "failure":
      guard let code = head["code"]?.integer.flatMap({ Int32(exactly: $0) }) else { throw LinkMessage.malformed }
      let error = SegueError(
        ofFileToldByOther: SegueError.Code(rawValue: code), words: head["message"]?.string ?? "")
      return (.failure(error), 4 &+ length)
    default: throw LinkMessage.malformed
    }
  }
}

/// A file that an application asked for, and that is here.
public struct BroughtFile: Equatable, Sendable {
  public var path: String
  public var size: UInt64
  /// The SHA-256 of a copy; nil where it is no copy, but the file itself.
  public var digest: [UInt8]?

  public init(path: String, size: UInt64, digest: [UInt8]?) {
    self.path = path
    self.size = size
    self.digest = digest
  }

  /// The name for a copy: the last element of the URL's path, without characters that reorder or hide text; "file" if
  /// no other character is left. It never leads to another directory, whatever the other device has chosen (attack 28).
  public static func name(for url: FileURL) -> String {
    let last = url.path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(decoding: Array($0), as: UTF8.self) }
    let name = DisplayText.clean(last ?? "", maximum: Limits.fileNameLength)
    guard !name.utf8.contains(UInt8(ascii: "/")), name.utf8.contains(where: { $0 != UInt8(ascii: ".") }) else {
      return "file"
    }
    return name
  }
}
