/// The type of a document's content, as the shared MIME database names it: `text/plain`.
public struct MIMEType: Hashable, Sendable {
  /// In lower case: names that differ in case only are one type.
  public let string: String

  /// Nil unless `string` is a type and a subtype (RFC 6838, 4.2) with a slash between them, at most 255 bytes.
  /// Parameters (`; charset=…`) belong to a content, not to a type, and are refused.
  public init?(_ string: some StringProtocol) {
    guard string.utf8.count <= Limits.nameLength else { return nil }
    var bytes: [UInt8] = []
    var slash: Int?
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte | 0x20)
      case UInt8(ascii: "/") where slash == nil && !bytes.isEmpty:
        slash = bytes.count
        bytes.append(byte)
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "^"),
        UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"):
        bytes.append(byte)
      default: return nil
      }
    }
    guard let slash, slash &+ 1 < bytes.count else { return nil }
    self.string = String(decoding: bytes, as: UTF8.self)
  }
}
