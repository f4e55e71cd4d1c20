/// An IP address and how many of its first bits name its network: `192.0.2.1/24`.
public struct IPNetwork: Hashable, Sendable {
  public let address: IPAddress
  /// At most the bits of the address.
  public let prefix: Int

  /// A prefix past the address's bits counts as all of them, one below 0 as none.
  public init(_ address: IPAddress, prefix: Int) {
    self.address = address
    self.prefix = min(max(prefix, 0), address.bytes.count * 8)
  }

  /// Nil unless `text` is an IP address, a slash and a number of its bits.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let address = IPAddress(String(Substring(parts[0]))),
      !parts[1].isEmpty, parts[1].count <= 3,
      parts[1].allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
      let prefix = Int(String(Substring(parts[1]))), prefix <= address.bytes.count * 8
    else { return nil }
    self.init(address, prefix: prefix)
  }

  /// Whether the other address is of the same network.
  public func contains(_ other: IPAddress) -> Bool {
    guard other.bytes.count == address.bytes.count else { return false }
    for (index, (one, another)) in zip(address.bytes, other.bytes).enumerated() {
      let bits = min(max(prefix - index * 8, 0), 8)
      if (one ^ another) >> UInt8(8 - bits) != 0 { return bits == 0 }
    }
    return true
  }
}
