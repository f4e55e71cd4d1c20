/// A web page's URL: what an activity may have (semantics C8), what is taken from another device, and what a browser is
/// asked to open (security attack 29). One parser for all three, so that what an application may set opens elsewhere.
///
/// Narrower than the standards: what two parsers could take differently is refused.
public struct WebURL: Hashable, Sendable {
  /// The URL, put together of its parts: scheme and host in small letters, the rest as it was given.
  public let string: String
  /// http or https.
  public var scheme: String { string.begins(with: "https:") ? "https" : "http" }
  /// The host in small letters, in its ASCII form; an IPv6 address keeps its brackets.
  public let host: String
  /// The host, and its port where one is given. An offer names this instead of the URL.
  public let authority: String

  /// Nil unless the scheme is http or https, there is a host in ASCII and no user, the port is 1 to 65535 if there is
  /// one, and nowhere a control, space, backslash or direction mark.
  public init?(_ string: String) {
    guard string.utf8.count <= Limits.urlMaximum, !hasControls(string) else { return nil }
    for scalar in string.unicodeScalars {
      guard scalar != " ", scalar != "\\", !turnsDirection(scalar) else { return nil }
    }
    let bytes = Array(string.utf8)
    guard let start = Self.schemeLength(bytes) else { return nil }
    var end = start
    while end < bytes.count, !Self.endsAuthority(bytes[end]) { end &+= 1 }
    guard let host = Self.host(bytes[start..<end]) else { return nil }
    let authority = bytes[start..<end].map(lowerCased)
    self.host = String(decoding: host, as: UTF8.self)
    self.authority = String(decoding: authority, as: UTF8.self)
    self.string = String(decoding: bytes[..<start].map(lowerCased) + authority + bytes[end...], as: UTF8.self)
  }

  /// Whether the bytes are the same.
  public static func == (left: WebURL, right: WebURL) -> Bool { left.string.isSame(as: right.string) }

  /// Feeds the bytes.
  public func hash(into hasher: inout Hasher) { string.hashBytes(into: &hasher) }

  /// Whether an offer may name it as the place of its page.
  public static func isAuthority(_ text: String) -> Bool { WebURL("https://" + text)?.authority == text }

  /// The page of an activity, if an application may set it. Throws `limitExceeded` if it is too long, `invalidArgument`
  /// for anything else; `name` is what the error calls it.
  public static func check(_ string: String, _ name: String) throws(SegueError) {
    guard string.utf8.count <= Limits.urlMaximum else {
      throw SegueError(.limitExceeded, "\(name) is longer than \(Limits.urlMaximum) bytes.")
    }
    guard WebURL(string) != nil else {
      throw SegueError(
        .invalidArgument,
        "\(name) begins with http:// or https:// and a host in ASCII, and has no user, space or control character.")
    }
  }

  /// Where the authority begins.
  private static func schemeLength(_ bytes: [UInt8]) -> Int? {
    for scheme in ["http://", "https://"] where bytes.count > scheme.utf8.count {
      if bytes.prefix(scheme.utf8.count).map(lowerCased).elementsEqual(scheme.utf8) { return scheme.utf8.count }
    }
    return nil
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// The host of an authority, nil where host or port are not what they should be.
  private static func host(_ authority: ArraySlice<UInt8>) -> [UInt8]? {
    let isAddress = authority.first == UInt8(ascii: "[")
    var end = authority.startIndex
    if isAddress {
      guard let bracket = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      end = bracket &+ 1
    } else {
      while end < authority.endIndex, authority[end] != UInt8(ascii: ":") { end &+= 1 }
    }
    let host = authority[authority.startIndex..<end]
    guard isAddress ? isAddressLiteral(host) : isName(host), isPort(authority[end...]) else { return nil }
    return host.map(lowerCased)
  }

  private static func isAddressLiteral(_ host: ArraySlice<UInt8>) -> Bool {
    let inside = host.dropFirst().dropLast()
    return inside.count >= 2 && inside.contains(UInt8(ascii: ":"))
      && inside.allSatisfy { hexadecimal($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
  }

  /// Letters, digits, - and _ in labels between single dots; a dot at the end is allowed. No percent-encoding: %2F or
  /// %40 would be a slash or an at sign to some, and part of the name to others.
  private static func isName(_ host: ArraySlice<UInt8>) -> Bool {
    var label = 0
    var index = host.startIndex
    while index < host.endIndex {
      switch host[index] {
      case UInt8(ascii: "."):
        guard label > 0 else { return false }
        label = -1
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        break
      default: return false
      }
      label &+= 1
      index &+= 1
    }
    return !host.isEmpty
  }

  /// Empty, or a colon and 1 to 65535.
  private static func isPort(_ port: ArraySlice<UInt8>) -> Bool {
    guard let colon = port.first else { return true }
    guard colon == UInt8(ascii: ":"), (2...6).contains(port.count) else { return false }
    var number = 0
    for digit in port.dropFirst() {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return false }
      number = number &* 10 &+ Int(digit &- UInt8(ascii: "0"))
    }
    return (1...65535).contains(number)
  }
}
