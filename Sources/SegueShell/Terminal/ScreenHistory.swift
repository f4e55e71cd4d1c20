import SegueCore

/// Lines that have left a screen at its top. Pure.
///
/// They are kept as text: a terminal of another width breaks them elsewhere. Each part has a number, by which the
/// history knows whether a viewer's terminal has it: a terminal that was given all parts up to a number keeps that
/// number as its mark. A part that comes back onto the screen, as it grows, and leaves it again unchanged keeps its
/// number.
struct ScreenHistory: Sendable {
  /// One row that has left the screen.
  private struct Part {
    /// Characters and their marks.
    let characters: [UInt32]
    /// The pens, each with the index of the cell at which it ends.
    let pens: [(end: Int, pen: Pen)]
    let count: Int
    let fill: Pen.Color
    var endsLine: Bool
    let id: UInt64
    var weight: Int { characters.count + Self.overhead + 6 * pens.count }
    private static let overhead = 16
  }

  /// The parts from `first` on; those before it are forgotten.
  private var parts: [Part?] = []
  private var first = 0
  private var lines = 0
  private var weight = 0
  /// Cells of the last line, as long as it goes on.
  private var openCount = 0
  /// The number that was given last.
  private var given: UInt64 = 0
  /// The number of the last part that was forgotten.
  private var forgotten: UInt64 = 0
  /// The number of the newest part in it.
  var newest: UInt64 { last?.id ?? forgotten }

  /// Whether its last line goes on, on the screen.
  var isOpen: Bool { last?.endsLine == false }
  var isEmpty: Bool { last == nil }
  private var last: Part? { parts.count > first ? parts[parts.count - 1] : nil }

  mutating func clear() {
    forgotten = newest
    parts = []
    first = 0
    lines = 0
    weight = 0
    openCount = 0
  }

  /// Ends the last line: no row on the screen continues it.
  mutating func close() {
    guard isOpen else { return }
    parts[parts.count - 1]?.endsLine = true
    lines += 1
    openCount = 0
  }

  /// A row that leaves the screen.
  mutating func push(_ row: ScreenRow) {
    var text = TextLine()
    text.append(row)
    var characters: [UInt32] = []
    characters.reserveCapacity(text.cells.count)
    var pens: [(end: Int, pen: Pen)] = []
    for (index, cell) in text.cells.enumerated() {
      if cell.hasMarks { characters += cell.characters } else { characters.append(cell.character) }
      if pens.last?.pen == cell.pen { pens[pens.count - 1].end = index + 1 } else { pens.append((index + 1, cell.pen)) }
    }
    // Numbers only grow: so whoever has the newest has all of them. Each place of it has one, for when it is broken.
    let isKnown = row.id > newest
    if !isKnown { given += UInt64(text.cells.count + 1) }
    openCount += text.cells.count
    let part = Part(
      characters: characters, pens: pens, count: text.cells.count, fill: text.fill,
      endsLine: text.isWhole || openCount > Limits.shellLine, id: isKnown ? row.id : given)
    if part.endsLine { openCount = 0 }
    parts.append(part)
    weight += part.weight
    if part.endsLine { lines += 1 }
  }

  /// Forgets the oldest, down to what is kept. Not while a terminal changes its size: it may change back.
  mutating func trim() {
    while lines > Limits.shellHistory || weight > Limits.shellHistoryText, first < parts.count {
      if let part = parts[first] {
        forget(part)
        forgotten = part.id
      }
      parts[first] = nil
      first += 1
    }
    if first > 4_096, first > parts.count / 2 {
      parts.removeFirst(first)
      first = 0
    }
  }

  private mutating func forget(_ part: Part) {
    weight -= part.weight
    if part.endsLine { lines -= 1 }
  }

  /// Takes the last line out, or what there is of it.
  mutating func popLine() -> TextLine? {
    guard let last else { return nil }
    var taken: [Part] = []
    while let part = self.last, taken.isEmpty || !part.endsLine {
      parts.removeLast()
      forget(part)
      taken.append(part)
    }
    var line = TextLine()
    for part in taken.reversed() { line.append(Self.cells(part), id: part.id) }
    line.fill = last.fill
    line.isWhole = last.endsLine
    openCount = 0
    return line
  }

  /// Each line, or part of one, that is newer than `mark`, the oldest first.
  func lines(since mark: UInt64, _ body: (TextLine) -> Void) {
    var line = TextLine()
    for case let part? in parts[first...] where part.id > mark {
      line.append(Self.cells(part), id: part.id)
      line.fill = part.fill
      line.isWhole = part.endsLine
      if line.isWhole {
        body(line)
        line = TextLine()
      }
    }
    if !line.sources.isEmpty { body(line) }
  }

  private static func cells(_ part: Part) -> [Cell] {
    var cells: [Cell] = []
    cells.reserveCapacity(part.count)
    var run = 0
    for character in part.characters {
      if character >= 0x300, CharacterWidth.of(character) == 0, !cells.isEmpty {
        cells[cells.count - 1].add(mark: character)
        continue
      }
      while part.pens[run].end <= cells.count { run += 1 }
      cells.append(Cell(character, part.pens[run].pen))
    }
    return cells
  }
}
