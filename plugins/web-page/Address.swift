/// The URL of a page that may be handed over: http or https, for others either run code (javascript:) or mean something
/// else on another device (file:).
struct Address {
  /// The URL as it was given, without the user's name and password, which are private.
  let url: String

  /// Nil for other schemes, and without a host.
  init?(_ text: String) {
    var bytes = Array(text.utf8)
    guard let start = Self.authorityStart(bytes) else { return nil }
    var end = start
    while end < bytes.count, !Self.endsAuthority(bytes[end]) { end &+= 1 }
    if let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) {
      bytes.removeSubrange(start...at)
      end &-= at &+ 1 &- start
    }
    guard end > start else { return nil }
    url = String(decoding: bytes, as: UTF8.self)
  }

  /// Whether both are one page, at different places of it perhaps.
  func isSamePage(as other: Address) -> Bool {
    url.utf8.prefix { $0 != UInt8(ascii: "#") }.elementsEqual(other.url.utf8.prefix { $0 != UInt8(ascii: "#") })
  }

  private static func authorityStart(_ bytes: [UInt8]) -> Int? {
    for scheme in ["http://", "https://"] {
      let lowerCased = bytes.prefix(scheme.utf8.count).lazy.map { $0 | ($0 >= 0x41 && $0 <= 0x5A ? 0x20 : 0) }
      if lowerCased.elementsEqual(scheme.utf8) { return scheme.utf8.count }
    }
    return nil
  }

  /// Browsers take \ for /.
  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") || byte == UInt8(ascii: "\\")
  }
}
