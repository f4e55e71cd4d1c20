extension DeviceID {
  /// The first eight bytes as four words that can be read out, two bytes each (proquints, arXiv:0901.4016).
  public var words: String {
    var words: [String] = []
    for start in stride(from: 0, to: 8, by: 2) where start + 1 < bytes.count {
      words.append(Self.word(UInt16(bytes[start]) << 8 | UInt16(bytes[start + 1])))
    }
    return words.joined(separator: "-")
  }

  private static let consonants = Array("bdfghjklmnprstvz".utf8)
  private static let vowels = Array("aiou".utf8)

  /// Sixteen bits as consonant, vowel, consonant, vowel, consonant: 4, 2, 4, 2 and 4 bits.
  private static func word(_ number: UInt16) -> String {
    let letters = [
      consonants[Int(number >> 12 & 15)], vowels[Int(number >> 10 & 3)], consonants[Int(number >> 6 & 15)],
      vowels[Int(number >> 4 & 3)], consonants[Int(number & 15)],
    ]
    return String(decoding: letters, as: UTF8.self)
  }
}
