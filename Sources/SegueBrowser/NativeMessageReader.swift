import SegueCore

/// Cuts the bytes from the browser into messages: a length of four bytes in this machine's order, and so many bytes.
struct NativeMessageReader {
  enum Message: Equatable {
    case whole([UInt8])
    /// More than a message may have: so many bytes, of which none is kept.
    case tooLong(Int)
  }

  private var bytes: [UInt8] = []
  /// How many bytes of a message that is too long are still to come.
  private var skipped = 0

  mutating func append(_ more: ArraySlice<UInt8>) {
    bytes += more.dropFirst(skipped)
    skipped -= min(skipped, more.count)
  }

  /// The next message, once all of it is here; one that is too long at once.
  mutating func next() -> Message? {
    guard bytes.count >= 4 else { return nil }
    let length = Int(bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })
    guard length <= Limits.browserMessage else {
      let here = min(length, bytes.count - 4)
      bytes.removeFirst(4 + here)
      skipped = length - here
      return .tooLong(length)
    }
    guard bytes.count >= 4 + length else { return nil }
    defer { bytes.removeFirst(4 + length) }
    return .whole(Array(bytes[4..<4 + length]))
  }

  /// A message as it goes to the browser.
  static func framed(_ text: String) -> [UInt8] {
    let content = Array(text.utf8)
    return withUnsafeBytes(of: UInt32(truncatingIfNeeded: content.count)) { Array($0) } + content
  }
}
