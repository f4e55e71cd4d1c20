/// A file's URL, `file:///path` (RFC 8089), as documents and folders are named in userInfo.
///
/// Narrower than the standard: what two programs could take for different files is refused.
public struct FileURL: Hashable, Sendable {
  /// The absolute path, decoded: each element of at most `Limits.fileNameLength` bytes follows one slash. `/` is the
  /// root.
  public let path: String

  /// Nil unless the path is absolute and at most `Limits.pathLength` bytes of UTF-8, without a NUL and without empty,
  /// `.` or `..` elements. One slash at the end is dropped.
  public init?(path: String) {
    var bytes = Array(path.utf8)
    if bytes.count > 2, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    guard bytes.first == UInt8(ascii: "/"), bytes.count <= Limits.pathLength else { return nil }
    guard bytes.count == 1 || Self.areElements(bytes[1...]) else { return nil }
    self.path = String(decoding: bytes, as: UTF8.self)
  }

  /// Nil unless it is `file://` or `file://localhost` and an acceptable path, percent-encoded or not, without a query
  /// or a fragment. A percent-encoded slash is refused: to some it separates, to others it is part of a name.
  public init?(_ string: String) {
    let bytes = Array(string.utf8)
    guard let start = Self.pathStart(bytes) else { return nil }
    var path: [UInt8] = []
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "%"):
        guard bytes.count &- index > 2, let high = hexadecimal(bytes[index &+ 1]),
          let low = hexadecimal(bytes[index &+ 2])
        else { return nil }
        let byte = high << 4 | low
        guard byte != UInt8(ascii: "/") else { return nil }
        path.append(byte)
        index &+= 3
      case 0...0x1F, 0x7F, UInt8(ascii: "?"), UInt8(ascii: "#"): return nil
      case let byte:
        path.append(byte)
        index &+= 1
      }
    }
    guard let decoded = TextCheck.string(path) else { return nil }
    self.init(path: decoded)
  }

  /// Whether the bytes of the paths are the same.
  public static func == (left: FileURL, right: FileURL) -> Bool { left.path.isSame(as: right.path) }

  /// Feeds the path's bytes.
  public func hash(into hasher: inout Hasher) { path.hashBytes(into: &hasher) }

  /// A file's URL, and what may stand behind the path: a slash that marks a folder, a query, a fragment. Nil where the
  /// part before it is not acceptable.
  public static func split(_ url: String) -> (file: FileURL, rest: String)? {
    let bytes = Array(url.utf8)
    var end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.count
    guard let file = FileURL(String(decoding: bytes[..<end], as: UTF8.self)) else { return nil }
    if file.path != "/", end > 0, bytes[end &- 1] == UInt8(ascii: "/") { end &-= 1 }
    return (file, String(decoding: bytes[end...], as: UTF8.self))
  }

  /// `file://` and the path; all but letters, digits and `-._~/` is percent-encoded.
  public var string: String {
    var bytes = Array("file://".utf8)
    for byte in path.utf8 {
      if Self.isPlain(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), Self.digit(byte >> 4), Self.digit(byte & 15)]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether these are elements of a path: separated by single slashes, none empty, `.` or `..`, none too long, no NUL.
  public static func areElements(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { element in
      switch element.count {
      case 0: false
      case 1...2 where element.allSatisfy { $0 == UInt8(ascii: ".") }: false
      default: element.count <= Limits.fileNameLength && !element.contains(0)
      }
    }
  }

  /// Where the path begins, nil for another scheme or host. Letters of either case.
  private static func pathStart(_ bytes: [UInt8]) -> Int? {
    for start in ["file://", "file://localhost"] {
      let count = start.utf8.count
      guard bytes.count > count, bytes[count] == UInt8(ascii: "/") else { continue }
      if bytes.prefix(count).map(lowerCased).elementsEqual(start.utf8) { return count }
    }
    return nil
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"), UInt8(ascii: "/"):
      true
    default: false
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "A") &+ value &- 10
  }
}
