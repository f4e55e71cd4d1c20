import Crypto
import SegueCore

/// The last line of a state file: `# sha256 <hex>` of all before it. It finds damage, not forgery.
enum Checksum {
  private static let mark = Array("# sha256 ".utf8)
  /// Of the line.
  static let length = 9 + 64 + 1

  /// `content` with the line.
  static func added(to content: [UInt8]) -> [UInt8] {
    content + mark + Array(Array(SHA256.hash(data: content)).hex.utf8) + [UInt8(ascii: "\n")]
  }

  /// What is before the line; nil if the line is missing or does not match.
  static func verified(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count >= length else { return nil }
    let content = Array(bytes.dropLast(length))
    return added(to: content) == bytes ? content : nil
  }
}
