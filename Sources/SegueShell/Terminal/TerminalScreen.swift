import CVTerm
import SegueCore

/// What a session's terminal shows, kept by libvterm: for drawing it on a terminal that has not seen how it came about,
/// and for answering what programs ask of a terminal.
///
/// It is given what `OutputFilter` lets through, and nothing else.
final class TerminalScreen {
  private let terminal: OpaquePointer
  private let screen: OpaquePointer
  private let state: OpaquePointer
  private let callbacks: UnsafeMutablePointer<VTermScreenCallbacks>
  private(set) var size: TerminalSize

  /// Lines that have left the screen at its top, drawn, oldest first: a ring.
  private var history: [[UInt8]] = []
  private var oldest = 0
  /// How many lines have left it since the beginning.
  private(set) var scrolled: UInt64 = 0
  private var answers: [UInt8] = []
  /// The row that is being drawn.
  private var cells: [VTermScreenCell] = []
  private static let eraseRest = Array("\u{1B}[K".utf8)

  /// Nil where there is no memory.
  init?(_ size: TerminalSize) {
    guard let terminal = vterm_new(Int32(size.rows), Int32(size.columns)), let screen = vterm_obtain_screen(terminal),
      let state = vterm_obtain_state(terminal)
    else { return nil }
    self.terminal = terminal
    self.screen = screen
    self.state = state
    self.size = size
    callbacks = .allocate(capacity: 1)
    callbacks.initialize(to: VTermScreenCallbacks())
    callbacks.pointee.sb_pushline = { count, cells, context in
      guard let cells, let context else { return 0 }
      Unmanaged<TerminalScreen>.fromOpaque(context).takeUnretainedValue()
        .push(UnsafeBufferPointer(start: cells, count: Int(count)))
      return 1
    }
    vterm_set_utf8(terminal, 1)
    vterm_screen_enable_altscreen(screen, 1)
    vterm_screen_set_damage_merge(screen, VTERM_DAMAGE_SCROLL)
    let itself = Unmanaged.passUnretained(self).toOpaque()
    vterm_screen_set_callbacks(screen, callbacks, itself)
    vterm_output_set_callback(
      terminal,
      { bytes, count, context in
        guard let bytes, let context else { return }
        let answer = UnsafeRawBufferPointer(start: bytes, count: count)
        Unmanaged<TerminalScreen>.fromOpaque(context).takeUnretainedValue().answers += answer
      }, itself)
    vterm_screen_reset(screen, 1)
  }

  deinit {
    vterm_free(terminal)
    callbacks.deinitialize(count: 1)
    callbacks.deallocate()
  }

  /// Takes output; gives what a terminal answers to it.
  func write(_ bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBytes { buffer in
      _ = vterm_input_write(terminal, buffer.bindMemory(to: CChar.self).baseAddress, buffer.count)
    }
    defer { answers = [] }
    return answers
  }

  /// `modes` are those that it has. What scrolls is the whole screen afterwards.
  ///
  /// libvterm 0.1.4 leaves a cursor that was saved outside of a smaller screen where it was, and sometimes puts the
  /// cursor itself above the first row; what is drawn there next is outside of its memory. So both are set anew.
  func resize(_ size: TerminalSize, _ modes: TerminalModes) {
    guard size != self.size else { return }
    let pen = Pen(of: state).bytes
    let before = cursor
    _ = write([0x1B, UInt8(ascii: "8")])
    let saved = cursor
    _ = write(TerminalModes.usual + Self.move(to: before))
    vterm_set_size(terminal, Int32(size.rows), Int32(size.columns))
    vterm_screen_flush_damage(screen)
    self.size = size
    let after = cursor
    let savedAfter = (row: min(saved.row, size.rows - 1), column: min(saved.column, size.columns - 1))
    _ = write(Self.move(to: savedAfter) + [0x1B, UInt8(ascii: "7")])
    _ = write(modes.withoutRegion.bytes + Self.move(to: after) + pen)
  }

  private static func move(to place: (row: Int, column: Int)) -> [UInt8] {
    Array("\u{1B}[\(place.row + 1);\(place.column + 1)H".utf8)
  }

  func clearHistory() {
    history = []
    oldest = 0
  }

  private func push(_ cells: UnsafeBufferPointer<VTermScreenCell>) {
    var pen = Pen()
    var line: [UInt8] = []
    line.reserveCapacity(cells.count)
    let isFull = pen.draw(cells, into: &line)
    if !pen.isPlain { line += Pen.plain }
    if !isFull { line += Self.eraseRest }
    scrolled &+= 1
    if history.count < Limits.shellHistory {
      history.append(line)
    } else {
      history[oldest] = line
      oldest = (oldest + 1) % history.count
    }
  }

  /// Those of the lines that have left the screen since it was at `mark` lines, oldest first, as many as are kept.
  private func lines(since mark: UInt64) -> [[UInt8]] {
    let missed = scrolled > mark ? scrolled - mark : 0
    let count = missed > UInt64(history.count) ? history.count : Int(missed)
    return (0..<count).map { history[(oldest + history.count - count + $0) % history.count] }
  }

  // MARK: Drawing

  /// Everything that a terminal of the session's size needs to go on from here: lines that left the screen since `mark`,
  /// what the screen shows, cursor, pen and modes.
  func drawing(_ modes: TerminalModes, linesSince mark: UInt64) -> [UInt8] {
    var bytes = begin(isAlternate: modes.isAlternate)
    if !modes.isAlternate {
      for line in lines(since: mark) { bytes += line + [0x0D, 0x0A] }
    }
    for row in 0..<size.rows {
      if row > 0 { bytes += [0x0D, 0x0A] }
      draw(row, columns: 0..<size.columns, isWhole: true, into: &bytes)
    }
    bytes += modes.bytes
    let cursor = cursor
    let top = modes.hasOrigin ? (modes.region?.top ?? 1) - 1 : 0
    bytes += Self.move(to: (max(0, cursor.row - top), cursor.column))
    bytes += Pen(of: state).bytes
    if modes.isCursorVisible { bytes += Array("\u{1B}[?25h".utf8) }
    return bytes
  }

  /// As much of the screen as fits on a terminal of another size: the part in which the cursor is. For the keys to be
  /// right, the modes that change what they send are the session's.
  func drawing(_ modes: TerminalModes, cutTo other: TerminalSize) -> [UInt8] {
    var bytes = begin(isAlternate: modes.isAlternate)
    let cursor = cursor
    let firstRow = min(max(0, cursor.row - other.rows + 1), max(0, size.rows - other.rows))
    let firstColumn = min(max(0, cursor.column - other.columns + 1), max(0, size.columns - other.columns))
    let columns = firstColumn..<min(size.columns, firstColumn + other.columns)
    for row in 0..<other.rows {
      if row > 0 { bytes += [0x0D, 0x0A] }
      if firstRow + row < size.rows {
        draw(firstRow + row, columns: columns, isWhole: columns.count == other.columns, into: &bytes)
      } else {
        bytes += Self.eraseRest
      }
    }
    bytes += modes.withoutRegion.bytes
    bytes += Self.move(to: (cursor.row - firstRow, cursor.column - firstColumn))
    if modes.isCursorVisible { bytes += Array("\u{1B}[?25h".utf8) }
    return bytes
  }

  /// The right screen, usual modes, no cursor, and its top left corner.
  private func begin(isAlternate: Bool) -> [UInt8] {
    Array("\u{1B}[?25l\u{1B}[?1049\(isAlternate ? "h" : "l")".utf8) + TerminalModes.usual + Array("\u{1B}[H".utf8)
  }

  private var cursor: (row: Int, column: Int) {
    var position = VTermPos()
    vterm_state_get_cursorpos(state, &position)
    return (
      min(max(0, Int(position.row)), size.rows - 1), min(max(0, Int(position.col)), size.columns - 1)
    )
  }

  /// `isWhole`: as wide as the terminal on which it is drawn.
  private func draw(_ row: Int, columns: Range<Int>, isWhole: Bool, into bytes: inout [UInt8]) {
    cells.removeAll(keepingCapacity: true)
    for column in columns {
      var cell = VTermScreenCell()
      _ = vterm_screen_get_cell(screen, VTermPos(row: Int32(row), col: Int32(column)), &cell)
      cells.append(cell)
    }
    var pen = Pen()
    let isFull = cells.withUnsafeBufferPointer { pen.draw($0, into: &bytes) }
    if !pen.isPlain { bytes += Pen.plain }
    // Erasing right of the last column would erase the last character.
    if !isFull || !isWhole { bytes += Self.eraseRest }
  }
}
