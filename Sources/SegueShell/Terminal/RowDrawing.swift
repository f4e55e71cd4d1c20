/// Bytes that draw rows one below the other. Pure.
///
/// A row whose line goes on is followed by the next one without a new line: so the terminal knows that they belong
/// together, for when it is made wider, or when text is copied out of it.
struct RowDrawing {
  private(set) var bytes: [UInt8] = []
  private var pen = Pen()
  /// The columns of the terminal on which they are drawn.
  private let columns: Int
  /// How the last row ended: nil before the first.
  private var former: (isFull: Bool, leftOut: Bool)?

  init(columns: Int) { self.columns = columns }

  mutating func add(_ row: ScreenRow) { add(row.cells[...], wraps: row.wraps) }

  /// Some of a row's cells: half of a wide character, where it is cut, is drawn as a blank.
  mutating func add(_ cells: ArraySlice<Cell>, wraps: Bool) {
    let content = ScreenRow(Array(cells)).content
    let first = cells.first
    if let former {
      let goesOn =
        former.isFull && content.count > 0 && first?.isErased == false || former.leftOut && first?.isWide == true
      if !goesOn { bytes += [0x0D, 0x0A] }
    }
    var index = cells.startIndex
    let end = index + content.count
    while index < end {
      let cell = cells[index]
      if cell.isErased {
        index = erase(cells[index..<end])
      } else {
        set(cell.pen)
        let isCut = cell.isTail || cell.isWide && index + 1 == cells.endIndex
        if isCut { bytes.append(0x20) } else { Self.append(cell, to: &bytes) }
        index += cell.isWide ? 2 : 1
      }
    }
    // Erasing right of the last column would erase the last character.
    let isFull = content.count == columns
    if !isFull {
      set(Pen(background: content.fill))
      bytes += Self.eraseRest
    }
    set(Pen())
    former = (wraps && isFull, wraps && cells.last?.isLeftOut == true && content.count == columns - 1)
  }

  /// Ends the line: the next row belongs to another one.
  mutating func endLine() { if former != nil { former = (false, false) } }

  /// Draws erased cells of one colour, and returns the index behind them.
  private mutating func erase(_ cells: ArraySlice<Cell>) -> Int {
    let end = cells.firstIndex { $0 != cells.first } ?? cells.endIndex
    set(cells[cells.startIndex].pen)
    let count = end - cells.startIndex
    bytes += Array("\u{1B}[\(count)X\u{1B}[\(count)C".utf8)
    return end
  }

  private mutating func set(_ next: Pen) {
    guard next != pen else { return }
    let wasProtected = pen.attributes.contains(.protected)
    let isProtected = next.attributes.contains(.protected)
    if isProtected != wasProtected { bytes += Array("\u{1B}[\(isProtected ? 1 : 0)\"q".utf8) }
    bytes += next.bytes
    pen = next
  }

  private static let eraseRest = Array("\u{1B}[K".utf8)

  static func append(_ cell: Cell, to bytes: inout [UInt8]) {
    if cell.character < 0x7F, !cell.hasMarks { return bytes.append(UInt8(cell.character)) }
    for character in cell.characters {
      guard let scalar = Unicode.Scalar(character) else { continue }
      bytes += Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
  }
}
