/// What an activity's webpageURL may be (semantics C8). A browser is asked to open fewer: `WebURL`.
public enum WebpageURL {
  /// Whether an application may set it, and whether it is taken from another device: http or https, and a host.
  public static func isAcceptable(_ url: String) -> Bool {
    guard url.utf8.count <= Limits.valueLength, Value.isURL(url) else { return false }
    return host(of: url) != nil
  }

  /// The host that an offer names instead of the URL, with its port, as it is written; nil unless `url` is an http or
  /// https URL with a host.
  public static func host(of url: String) -> String? {
    for scheme in ["http://", "https://"] {
      guard url.utf8.prefix(scheme.utf8.count).map(lowerCased).elementsEqual(scheme.utf8) else { continue }
      let rest = url.utf8.dropFirst(scheme.utf8.count)
      let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
      let host =
        authority.lastIndex(of: UInt8(ascii: "@")).map { authority[authority.index(after: $0)...] } ?? authority
      return host.isEmpty ? nil : String(decoding: Array(host), as: UTF8.self)
    }
    return nil
  }
}
