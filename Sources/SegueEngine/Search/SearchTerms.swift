import SegueCore

/// The words of a search. They fit what holds each of them somewhere in its texts, in whichever case.
public struct SearchTerms: Equatable, Sendable {
  /// In lower case, none of them empty.
  private let words: [[UInt8]]
  private let pairs: [BytePairs]
  /// Whether the search is longer than any that is looked for: nothing fits it.
  private let isTooLong: Bool

  /// `texts` are split at spaces; control characters are left out.
  public init(_ texts: [String]) {
    let isLong = texts.count > Limits.searchWords || texts.contains { $0.utf8.count > Limits.searchBytes }
    let all =
      isLong
      ? []
      : texts.flatMap { text in
        DisplayText.clean(text, maximum: Limits.searchBytes).lowercased().utf8
          .split(separator: UInt8(ascii: " ")).map { Array($0) }
      }
    isTooLong = isLong || all.count > Limits.searchWords
    words = isTooLong ? [] : all
    pairs = words.map { BytePairs(of: $0) }
  }

  /// Whether nothing is looked for.
  public var isEmpty: Bool { words.isEmpty && !isTooLong }

  /// Some of the words: a bit each. `Limits.searchWords` of them leave a bit.
  typealias Words = UInt64

  /// The words that are in one of the texts.
  func words(in texts: [String]) -> Words { texts.reduce(0) { $0 | words(in: $1) } }

  func words(in text: String) -> Words {
    var found: Words = 0
    for (place, word) in words.enumerated() where Self.text(text, holds: word) { found |= 1 << place }
    return found
  }

  /// The words in a text that is in lower case.
  func words(inFolded text: [UInt8]) -> Words {
    var found: Words = 0
    text.withUnsafeBufferPointer { bytes in
      for (place, word) in words.enumerated() where Self.holds(bytes, word, { $0 }) { found |= 1 << place }
    }
    return found
  }

  /// The words that a text with these pairs cannot hold.
  func absent(from text: BytePairs) -> Words {
    var absent: Words = 0
    for place in pairs.indices where !text.mayHold(pairs[place]) { absent |= 1 << place }
    return absent
  }

  /// Whether these are all words.
  func are(all found: Words) -> Bool { !isTooLong && found == 1 << words.count - 1 }

  /// Whether each word is in one of the texts; they need not be in the same one.
  func fit(_ texts: [String]) -> Bool { are(all: words(in: texts)) }

  private static func text(_ text: String, holds word: [UInt8]) -> Bool {
    guard text.utf8.count >= word.count else { return false }
    let found = text.utf8.withContiguousStorageIfAvailable { bytes -> Bool? in
      // Most texts are ASCII, and are compared where they are.
      bytes.allSatisfy { $0 < 0x80 } ? holds(bytes, word) { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 } : nil
    }
    if let found = found ?? nil { return found }
    return Array(text.lowercased().utf8).withUnsafeBufferPointer { holds($0, word) { $0 } }
  }

  /// Whether `word` is somewhere in the bytes that `folded` makes of `bytes`.
  @inline(__always)
  private static func holds(
    _ bytes: UnsafeBufferPointer<UInt8>, _ word: [UInt8], _ folded: (UInt8) -> UInt8
  ) -> Bool {
    guard let first = word.first, bytes.count >= word.count else { return word.isEmpty }
    for start in 0...(bytes.count - word.count) where folded(bytes[start]) == first {
      if word.indices.dropFirst().allSatisfy({ folded(bytes[start + $0]) == word[$0] }) { return true }
    }
    return false
  }
}
