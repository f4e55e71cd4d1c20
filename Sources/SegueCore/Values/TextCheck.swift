/// The checks that a C string or a message's bytes must pass before they become a `String`. Most text is ASCII, which is
/// looked at eight bytes at a time.
public enum TextCheck {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// Whether `bytes` are well-formed UTF-8 (Unicode 3.9, table 3-7) without a NUL.
  public static func validUTF8(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.withContiguousStorageIfAvailable { isUTF8(UnsafeRawBufferPointer($0)) }
      ?? Array(bytes).withUnsafeBytes { isUTF8($0) }
  }

  /// Whether there is a NUL.
  public static func hasNUL(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.withContiguousStorageIfAvailable { hasNUL(UnsafeRawBufferPointer($0)) } ?? bytes.contains(0)
  }

  /// The string that `bytes` are, nil unless `validUTF8` accepts them and they are no more than `maximum`.
  public static func string(_ bytes: [UInt8], maximum: Int = Limits.valueLength) -> String? {
    guard bytes.count <= maximum, !hasNUL(bytes) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var place = 0
    var missing = 0
    // The range of the next byte: narrower after four first bytes, against overlong forms, surrogates, > U+10FFFF.
    var next: ClosedRange<UInt8> = 0x80...0xBF
    while place < bytes.count {
      if missing == 0, place &+ 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        // No byte is over 0x7F, and none turns over when one is taken from it.
        if (word | (word &- ones)) & highs == 0 {
          place &+= 8
          continue
        }
      }
      let byte = bytes[place]
      place &+= 1
      if missing > 0 {
        guard next.contains(byte) else { return false }
        missing &-= 1
        next = 0x80...0xBF
        continue
      }
      switch byte {
      case 0x01...0x7F: break
      case 0xC2...0xDF: missing = 1
      case 0xE0...0xEF:
        missing = 2
        if byte == 0xE0 { next = 0xA0...0xBF }
        if byte == 0xED { next = 0x80...0x9F }
      case 0xF0...0xF4:
        missing = 3
        if byte == 0xF0 { next = 0x90...0xBF }
        if byte == 0xF4 { next = 0x80...0x8F }
      default: return false
      }
    }
    return missing == 0
  }

  private static func hasNUL(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var place = 0
    while place &+ 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      // The lowest byte that turns over when one is taken from it was 0.
      if (word &- ones) & ~word & highs != 0 { return true }
      place &+= 8
    }
    while place < bytes.count {
      if bytes[place] == 0 { return true }
      place &+= 1
    }
    return false
  }
}
