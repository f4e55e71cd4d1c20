// The messages on a file's channel before the file's bytes: the request that opens it, and the head of the answer. The
// file's bytes from the agreed offset on follow the head, then the SHA-256 of the whole file.

/// A file's first message, on a channel of its own: the application that continues an activity wants a file that the
/// activity's userInfo names.
public struct FileRequest: ChannelOpening, Equatable, Sendable {
  /// By which the device has fetched the activity.
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

  /// Throws for a URL that is none of a file.
  public init(_ fields: inout WireFields, _ own: FileRequest?) throws(SegueError) {
    try fields.kind("file")
    self.init(
      continuation: try fields("continuation", own?.continuation), activity: try fields("activity", own?.activity),
      url: try fields("url", own?.url) { FileURL($0) != nil })
    // One without the other says nothing: the file comes from its beginning.
    let rest = own.flatMap { $0.offset > 0 ? $0 : nil }
    if let offset = fields.optional("offset", rest?.offset), let version = fields.optional("version", rest?.version),
      version.count <= Limits.fileVersionLength
    {
      (self.offset, self.version) = (offset, version)
    }
  }
}

/// The head of the answer.
public enum FileHead: ChannelHead, Equatable, Sendable {
  /// The file's bytes follow, from the offset on: what was asked for, or 0 where it is another version.
  case file(Description)
  case failure(SegueError)

  /// A file as its device has it now.
  public struct Description: WireMessage, Equatable, Sendable {
    public var size: UInt64
    /// A value that differs after each change of the file. Its content means something only to the file's device.
    public var version: [UInt8]
    public var offset: UInt64

    public init(size: UInt64, version: [UInt8], offset: UInt64) {
      self.size = size
      self.version = version
      self.offset = offset
    }

    public init(_ fields: inout WireFields, _ own: Description?) throws(SegueError) {
      try fields.kind("file")
      let size = try fields("size", own?.size)
      self.init(
        size: size, version: try fields("version", own?.version) { $0.count <= Limits.fileVersionLength },
        offset: try fields("offset", own?.offset) { $0 <= size })
    }
  }

  /// Bytes of what stands behind the file: a SHA-256.
  public static let digestLength = 32

  public init(_ fields: inout WireFields, _ own: FileHead?) throws(SegueError) {
    if let error = try fields.failure(own?.asFailure, SegueError.init(ofFileToldByOther:words:)) {
      self = .failure(error)
    } else {
      self = .file(try Description(&fields, own?.asFile))
    }
  }

  private var asFailure: SegueError? { if case .failure(let error) = self { error } else { nil } }
  private var asFile: Description? { if case .file(let file) = self { file } else { nil } }
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
