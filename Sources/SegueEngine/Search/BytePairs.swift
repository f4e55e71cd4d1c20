/// Which pairs of neighbouring bytes a text has, or may have: a bit for each of 256 classes of pairs. A text without one
/// of a word's pairs does not hold the word.
struct BytePairs: Equatable, Sendable {
  private var bits: SIMD4<UInt64> = .zero

  init(of bytes: [UInt8]) {
    for (first, second) in zip(bytes, bytes.dropFirst()) {
      let place = (UInt32(first) &* 0x1F ^ UInt32(second) &* 0x8B) & 255
      bits[Int(place >> 6)] |= 1 << UInt64(place & 63)
    }
  }

  /// Whether each of the other's pairs may be among these.
  func mayHold(_ other: BytePairs) -> Bool { other.bits & ~bits == .zero }
}
