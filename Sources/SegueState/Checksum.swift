import SegueCore

/// The last line of a state file: `# sha256 <hex>`, the hash of everything before it. It detects damage, not forgery.
struct Checksum: Sendable {
  private static let mark = Array("# sha256 ".utf8)
  /// The length of the line.
  static let length = 9 + 64 + 1

  /// SHA-256, given by the caller: this module links no library for it.
  let hash: @Sendable ([UInt8]) -> [UInt8]

  /// `content`, followed by the line.
  func added(to content: [UInt8]) -> [UInt8] {
    content + Self.mark + Array(hash(content).hex.utf8) + [UInt8(ascii: "\n")]
  }

  /// The content before the line; nil if the line is missing or does not match.
  func verified(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count >= Self.length else { return nil }
    let content = Array(bytes.dropLast(Self.length))
    return added(to: content) == bytes ? content : nil
  }
}
