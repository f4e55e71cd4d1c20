/// One place of a screen: a character, with the marks over it, and its look. Pure.
struct Cell: Equatable, Sendable {
  /// 0: erased. A blank that was written is one.
  var character: UInt32 = 0
  var pen = Pen()
  /// Up to six marks of 21 bits, the first in the lowest.
  private var marks: UInt64 = 0
  private var moreMarks: UInt64 = 0

  /// The right half of the wide character before it.
  static let tail = UInt32.max
  /// The last place of a row into which a wide character did not fit: erased, and no part of the line.
  static let leftOut = UInt32.max - 1

  init(_ character: UInt32, _ pen: Pen) {
    self.character = character
    self.pen = pen
  }

  /// Erased, with a colour.
  init(erased background: Pen.Color = .usual) { pen = Pen(background: background) }

  var isErased: Bool { character == 0 || isLeftOut }
  var isTail: Bool { character == Self.tail }
  var isLeftOut: Bool { character == Self.leftOut }
  var isWide: Bool { character >= 0x300 && character < Self.leftOut && CharacterWidth.of(character) == 2 }

  mutating func add(mark: UInt32) {
    let value = UInt64(mark)
    for shift in [UInt64(0), 21, 42] where marks >> shift == 0 { return marks |= value << shift }
    for shift in [UInt64(0), 21, 42] where moreMarks >> shift == 0 { return moreMarks |= value << shift }
  }

  /// The character and its marks.
  var characters: [UInt32] {
    var all = [character]
    for marks in [marks, moreMarks] {
      var rest = marks
      while rest != 0 {
        all.append(UInt32(rest & 0x1F_FFFF))
        rest >>= 21
      }
    }
    return all
  }

  var hasMarks: Bool { marks != 0 }
}

/// A row of a screen.
struct ScreenRow: Equatable, Sendable {
  var cells: [Cell]
  /// Its line goes on in the next row: it was too long for this one.
  var wraps = false
  /// Its number in the history, from which it has come back unchanged; 0: it has not, or was changed since.
  var id: UInt64 = 0
  /// The colour in which its line would go on, were there more columns and its last place not erased itself.
  var rest = Pen.Color.usual

  init(_ cells: [Cell]) { self.cells = cells }

  init(blank columns: Int, _ background: Pen.Color = .usual) {
    cells = Array(repeating: Cell(erased: background), count: columns)
  }

  /// The row now differs from the one that came back.
  mutating func hasChanged() {
    id = 0
    rest = .usual
  }

  var isBlank: Bool { cells.allSatisfy { $0.isErased && $0.pen.isPlain } }

  /// The number of cells before the last ones that are erased in one colour, and that colour.
  var content: (count: Int, fill: Pen.Color) {
    guard let last = cells.last, last.isErased else { return (cells.count, rest) }
    var end = cells.count - 1
    while end > 0, cells[end - 1] == last { end -= 1 }
    return (end, last.pen.background)
  }
}
