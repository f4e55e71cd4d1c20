import SegueCore

/// The contents of a session's terminal: for drawing it on a terminal that has not seen how it came about, and for
/// answering the questions that programs ask a terminal. Pure.
///
/// It takes only the output of `OutputFilter`: whole characters, and whole sequences of its list. For each of them it
/// does what xterm does. It keeps everything that makes a difference to what a terminal shows, now or later, so that it
/// can be drawn: no terminal looks different or shows a different next line.
struct TerminalScreen: Sendable {
  struct Cursor: Equatable, Sendable {
    var row = 0
    var column = 0
    /// The last column has been written to: the next character goes to the next row.
    var isPending = false
    var pen = Pen()
    var charsets = Charsets()
    /// For a saved cursor: rows are counted from the top of the scrolling region.
    var hasOrigin = false
  }

  private(set) var size: TerminalSize
  var cursor = Cursor()
  var saved = Cursor()
  /// The screen that is shown; `hidden` is the other of the usual and the alternate one, with the cursor that was saved
  /// there. The alternate one is made when it is first shown.
  var rows: [ScreenRow]
  private(set) var hidden: [ScreenRow] = []
  private(set) var hiddenSaved = Cursor()
  /// First and last row of the scrolling region.
  var region: ClosedRange<Int>
  var tabs = Self.usualTabs
  /// A program has changed the tab stops; so viewers' terminals may have others.
  var hasSetTabs = false
  /// The same for protection against selective erasing, which simple terminals do not know.
  var hasProtected = false
  private(set) var modes = TerminalModes()
  var history = ScreenHistory()
  var answers: [UInt8] = []
  /// The modes that each character asks for.
  private(set) var wrapsLines = true
  private(set) var inserts = false

  static let usualTabs = (0..<Limits.shellColumns).map { $0 > 0 && $0 % 8 == 0 }

  init(_ size: TerminalSize) {
    self.size = size
    rows = Array(repeating: ScreenRow(blank: size.columns), count: size.rows)
    region = 0...size.rows - 1
  }

  /// The number of the last row that has left the screen at its top: a viewer that has it has all before it.
  var scrolled: UInt64 { history.newest }

  mutating func clearHistory() { history.clear() }

  /// Takes output; returns a terminal's answers to it.
  mutating func write(_ bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBufferPointer { take($0) }
    defer { answers = [] }
    return answers
  }

  mutating func changeModes(_ body: (inout TerminalModes) -> Void) {
    body(&modes)
    wrapsLines = modes.wrapsLines
    inserts = modes.inserts
    if !wrapsLines { cursor.isPending = false }
  }

  // MARK: The two screens

  mutating func show(alternate: Bool) {
    guard modes.isAlternate != alternate else { return }
    changeModes { $0.set(1047, alternate) }
    if hidden.isEmpty { hidden = Array(repeating: ScreenRow(blank: size.columns), count: size.rows) }
    swap(&rows, &hidden)
    swap(&saved, &hiddenSaved)
    cursor.isPending = false
  }

  /// `modes` stay as they are. The scrolling region is the whole screen afterwards.
  ///
  /// The usual screen's lines are broken anew, and none is lost. The alternate one's rows are cut, as in other
  /// terminals: its program draws it anew.
  mutating func resize(_ size: TerminalSize) {
    guard size != self.size else { return }
    let old = self.size
    self.size = size
    region = 0...size.rows - 1
    if modes.isAlternate {
      var usual = [hiddenSaved]
      ScreenReflow(from: old, to: size).apply(&hidden, &history, &usual)
      hiddenSaved = usual[0]
      cut()
    } else {
      var places = [cursor, saved]
      ScreenReflow(from: old, to: size).apply(&rows, &history, &places)
      cursor = places[0]
      saved = places[1]
      if !wrapsLines { cursor.isPending = false }
      hidden = []
      Self.clamp(&hiddenSaved, size)
    }
  }

  /// The alternate screen to its new size, with the row of the cursor in it.
  private mutating func cut() {
    let above = max(0, cursor.row - size.rows + 1)
    rows.removeFirst(above)
    if rows.count > size.rows { rows.removeLast(rows.count - size.rows) }
    for index in rows.indices {
      if rows[index].cells.count > size.columns {
        rows[index].cells.removeLast(rows[index].cells.count - size.columns)
        if let last = rows[index].cells.last, last.isWide {
          rows[index].cells[size.columns - 1] = Cell(erased: last.pen.background)
        }
      }
      while rows[index].cells.count < size.columns { rows[index].cells.append(Cell()) }
      rows[index].wraps = false
    }
    while rows.count < size.rows { rows.append(ScreenRow(blank: size.columns)) }
    cursor.row -= above
    Self.clamp(&cursor, size)
    Self.clamp(&saved, size)
  }

  private static func clamp(_ cursor: inout Cursor, _ size: TerminalSize) {
    if cursor.column != size.columns - 1 { cursor.isPending = false }
    cursor.row = min(max(0, cursor.row), size.rows - 1)
    cursor.column = min(cursor.column, size.columns - 1)
  }

  /// Everything as it is at first, but for what has left the screen.
  mutating func reset() {
    let history = history
    let changed = (hasSetTabs, hasProtected)
    self = TerminalScreen(size)
    self.history = history
    self.history.close()
    (hasSetTabs, hasProtected) = changed
  }

  mutating func resetSoftly() {
    changeModes { $0.resetSoftly() }
    cursor.pen = Pen()
    cursor.charsets = Charsets()
    region = 0...size.rows - 1
    saved = Cursor()
  }
}
