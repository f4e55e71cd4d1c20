/// A line of a terminal's text, or a part of one, however wide the terminal is. Pure.
struct TextLine: Sendable {
  /// Without the right halves of wide characters.
  var cells: [Cell] = []
  /// The colour in which the rest of its last row is erased.
  var fill = Pen.Color.usual
  /// Whether the line ends here: no more of it follows.
  var isWhole = true
  /// The parts that make up the line: the end of each, in cells, and its number in the history.
  private(set) var sources: [(end: Int, id: UInt64)] = []

  init() {}

  mutating func append(_ more: some Sequence<Cell>, id: UInt64) {
    cells += more
    sources.append((cells.count, id))
  }

  /// Puts a row at its end.
  mutating func append(_ row: ScreenRow) {
    let content = row.content
    let count = row.wraps ? row.cells.count : content.count
    append(row.cells[..<count].lazy.filter { !$0.isTail && !$0.isLeftOut }, id: row.id)
    // An erased cell in another colour than the rest: in a full row it cannot be told from the rest, so it becomes a
    // blank.
    if !row.wraps, let last = cells.last, last.isErased { cells[cells.count - 1] = Cell(0x20, last.pen) }
    fill = row.wraps ? .usual : content.fill
    isWhole = !row.wraps
  }

  /// The line's rows on a terminal that has so many columns, one after the other.
  func rows(_ columns: Int, _ body: (ScreenRow) -> Void) {
    var row = ScreenRow([])
    row.cells.reserveCapacity(columns)
    var first = 0
    func finish(_ end: Int, wraps: Bool, _ fill: Pen.Color) {
      while row.cells.count < columns { row.cells.append(Cell(erased: fill)) }
      row.wraps = wraps
      row.id = id(of: first..<end)
      row.rest = fill
      body(row)
      row.cells.removeAll(keepingCapacity: true)
      first = end
    }
    for (index, cell) in cells.enumerated() {
      let isWide = cell.isWide
      if row.cells.count + (isWide ? 2 : 1) > columns {
        if row.cells.count < columns { row.cells.append(Cell(Cell.leftOut, Pen())) }
        finish(index, wraps: true, .usual)
      }
      row.cells.append(cell)
      if isWide { row.cells.append(Cell(Cell.tail, cell.pen)) }
    }
    finish(cells.count, wraps: !isWhole, fill)
  }

  func rows(_ columns: Int) -> [ScreenRow] {
    var all: [ScreenRow] = []
    rows(columns) { all.append($0) }
    return all
  }

  /// The number of the last of these cells; 0 where one of them has none. Cells of a part are numbered up to the part's
  /// number.
  private func id(of cells: Range<Int>) -> UInt64 {
    var start = 0
    var last: UInt64 = 0
    for (end, id) in sources {
      let touches = end > cells.lowerBound && start < cells.upperBound || cells.isEmpty && end == cells.lowerBound
      if touches {
        guard id != 0 else { return 0 }
        last = id - UInt64(max(0, end - cells.upperBound))
      }
      start = end
    }
    return last
  }
}
