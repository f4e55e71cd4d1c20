/// Which character sets a terminal has at hand, and the one in use. Pure.
struct Charsets: Equatable, Sendable {
  /// The sets that G0 to G3 hold, each as the letter that designates it: ASCII (B), British (A) or line drawing (0).
  private var held: SIMD4<UInt8> = SIMD4(repeating: UInt8(ascii: "B"))
  /// The one of them in use.
  private var used = 0
  /// The set of the next character alone.
  private var next: Int?

  /// Whether characters stand for themselves.
  var isPlain: Bool { next == nil && held[used] == UInt8(ascii: "B") }

  /// `place`: which of `(`, `)`, `*` and `+` stands before the set's letter.
  mutating func designate(_ place: UInt8, _ set: UInt8) {
    guard let index = Self.places.firstIndex(of: place) else { return }
    held[index] = set
  }
  private static let places = Array("()*+".utf8)

  mutating func use(_ index: Int) { used = index }
  mutating func useOnce(_ index: Int) { next = index }

  /// The character that one of ASCII stands for.
  mutating func translate(_ character: UInt32) -> UInt32 {
    let set = held[next ?? used]
    next = nil
    switch set {
    case UInt8(ascii: "A") where character == 0x23: return 0xA3
    case UInt8(ascii: "0") where (0x60...0x7E).contains(character): return Self.drawing[Int(character - 0x60)]
    case UInt8(ascii: "0") where character == 0x5F: return 0xA0
    default: return character
    }
  }
  private static let drawing: [UInt32] = Array("◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·".unicodeScalars.map(\.value))

  /// Bytes that give these sets to a terminal that has the usual ones.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for (index, place) in Self.places.enumerated() where held[index] != UInt8(ascii: "B") {
      bytes += [0x1B, place, held[index]]
    }
    switch used {
    case 1: bytes.append(0x0E)
    case 2: bytes += [0x1B, UInt8(ascii: "n")]
    case 3: bytes += [0x1B, UInt8(ascii: "o")]
    default: break
    }
    switch next {
    case 2: bytes += [0x1B, UInt8(ascii: "N")]
    case 3: bytes += [0x1B, UInt8(ascii: "O")]
    default: break
    }
    return bytes
  }

  /// ASCII everywhere.
  static let usualBytes = Array("\u{1B}(B\u{1B})B\u{1B}*B\u{1B}+B\u{0F}".utf8)
}
