/// An IP address, without a scope: what it is a number of, however it was written.
public struct IPAddress: Hashable, Sendable {
  /// Four bytes, or sixteen.
  public let bytes: [UInt8]

  /// Nil unless `text` is four decimal numbers, or eight hexadecimal ones with at most one `::`. No number has needless
  /// zeros before it in the former; no IPv4 address ends the latter.
  public init?(_ text: String) {
    guard text.utf8.count <= 39 else { return nil }
    guard let bytes = text.utf8.contains(UInt8(ascii: ":")) ? Self.v6(text) : Self.v4(text) else { return nil }
    self.bytes = bytes
  }

  /// The machine itself.
  public var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
  }

  /// Whether the address belongs to one machine, on any network: it is no group's address, is not unspecified, has a
  /// meaning without an interface (unlike IPv6 link-local), and is no IPv4 address in disguise.
  public var isUnicast: Bool {
    if bytes.count == 4 { return bytes[0] != 0 && bytes[0] < 224 }
    if bytes[0] == 0xff || isLinkLocal { return false }
    return isLoopback || !bytes.prefix(10).allSatisfy { $0 == 0 }
  }

  /// One machine's on the one network that the interface is on (IPv6 link-local).
  public var isLinkLocal: Bool { bytes.count == 16 && bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80 }

  private static func v4(_ text: String) -> [UInt8]? {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bytes: [UInt8] = []
    for part in parts {
      guard part.count <= 3, part.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
        part.count == 1 || part.first != UInt8(ascii: "0"), let number = UInt8(String(Substring(part)))
      else { return nil }
      bytes.append(number)
    }
    return bytes
  }

  private static func v6(_ text: String) -> [UInt8]? {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    var head: [UInt8] = []
    var tail: [UInt8] = []
    var isBehindGap = false
    for (index, part) in parts.enumerated() {
      if part.isEmpty {
        // The gap makes one empty part within, two at either end, and three alone.
        let isEnd = index == 0 || index == parts.count - 1
        if isEnd {
          guard parts[index == 0 ? 1 : index - 1].isEmpty else { return nil }
        } else {
          guard !isBehindGap else { return nil }
          isBehindGap = true
        }
        continue
      }
      guard part.count <= 4, part.first != UInt8(ascii: "+"), part.first != UInt8(ascii: "-"),
        let number = UInt16(String(Substring(part)), radix: 16)
      else { return nil }
      let two = [UInt8(number >> 8), UInt8(number & 0xff)]
      if isBehindGap { tail += two } else { head += two }
    }
    let missing = 16 - head.count - tail.count
    guard isBehindGap ? missing >= 2 : missing == 0 else { return nil }
    return head + [UInt8](repeating: 0, count: missing) + tail
  }
}
