import SegueCore

/// Cuts what comes from the browser into messages: a length of four bytes in this machine's order, and so many bytes.
struct NativeMessageReader {
  /// The browser said that it sends more than a message may have: where the next one begins is not known then.
  struct TooLong: Error, Equatable {
    let length: Int
  }

  private var bytes: [UInt8] = []

  mutating func append(_ more: ArraySlice<UInt8>) { bytes += more }

  /// The next message, once all of it is here.
  mutating func next() throws(TooLong) -> [UInt8]? {
    guard bytes.count >= 4 else { return nil }
    let length = Int(bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })
    guard length <= Limits.browserMessage else { throw TooLong(length: length) }
    guard bytes.count >= 4 + length else { return nil }
    defer { bytes.removeFirst(4 + length) }
    return Array(bytes[4..<4 + length])
  }

  /// A message as it goes to the browser.
  static func framed(_ text: String) -> [UInt8] {
    let content = Array(text.utf8)
    return withUnsafeBytes(of: UInt32(truncatingIfNeeded: content.count)) { Array($0) } + content
  }
}
