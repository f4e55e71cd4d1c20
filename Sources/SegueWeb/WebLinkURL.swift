import SegueCore

/// A web page's URL in the parts that patterns are compared with.
public struct WebLinkURL: Sendable {
  /// The parts in one form: with the case of ASCII letters folded or not, percent-encoded or decoded.
  struct Parts: Sendable {
    var path: [UInt8]
    var query: [UInt8]
    var fragment: [UInt8]
    /// The items of the query, in their order.
    var items: [(name: [UInt8], value: [UInt8])]
  }

  public let host: DomainName
  private let forms: [Parts]

  /// Nil unless it is an https URL of a host with a name, without a user, and without a port but the usual one.
  public init?(_ string: String) {
    guard let url = WebURL(string), string.utf8.prefix(8).map(URLPattern.folded).elementsEqual("https://".utf8),
      let host = DomainName(url.host)
    else { return nil }
    let bytes = Array(string.utf8)
    let end = bytes[8...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
    if let colon = bytes[8..<end].firstIndex(of: UInt8(ascii: ":")) {
      guard bytes[(colon + 1)..<end].elementsEqual("443".utf8) else { return nil }
    }
    self.host = host
    let hash = bytes[end...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
    let mark = bytes[end..<hash].firstIndex(of: UInt8(ascii: "?")) ?? hash
    let path = mark > end ? bytes[end..<mark] : [UInt8(ascii: "/")]
    let query = bytes[mark..<hash].dropFirst()
    let encoded = Parts(
      path: Array(path), query: Array(query), fragment: Array(bytes[hash...].dropFirst()), items: Self.items(query))
    let decoded = encoded.map(Self.decoded)
    forms = [encoded, encoded.map(Self.folded), decoded, decoded.map(Self.folded)]
  }

  func parts(ignoringCase: Bool, isEncoded: Bool) -> Parts { forms[(isEncoded ? 0 : 2) + (ignoringCase ? 1 : 0)] }

  private static func items(_ query: ArraySlice<UInt8>) -> [(name: [UInt8], value: [UInt8])] {
    guard !query.isEmpty else { return [] }
    return query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: true).map { item in
      let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
      return (Array(item[..<equals]), Array(item[equals...].dropFirst()))
    }
  }

  private static func folded(_ bytes: [UInt8]) -> [UInt8] { bytes.map(URLPattern.folded) }

  /// Decodes percent-encodings. Other bytes stay as they are.
  private static func decoded(_ bytes: [UInt8]) -> [UInt8] {
    var decoded: [UInt8] = []
    var place = 0
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: "%"), place + 2 < bytes.count,
        let high = JSONReader.hexadecimal(bytes[place + 1]), let low = JSONReader.hexadecimal(bytes[place + 2])
      {
        decoded.append(high << 4 | low)
        place += 3
      } else {
        decoded.append(bytes[place])
        place += 1
      }
    }
    return decoded
  }
}

extension WebLinkURL.Parts {
  fileprivate func map(_ change: ([UInt8]) -> [UInt8]) -> WebLinkURL.Parts {
    WebLinkURL.Parts(
      path: change(path), query: change(query), fragment: change(fragment),
      items: items.map { (change($0.name), change($0.value)) })
  }
}
