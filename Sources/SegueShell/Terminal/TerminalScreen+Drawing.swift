// Drawing it on another terminal.

extension TerminalScreen {
  /// Bytes with which a terminal of the session's size can go on from here: lines that left the screen since `mark`,
  /// the screen's contents, and all state that makes a difference to the next output.
  func drawing(linesSince mark: UInt64) -> [UInt8] {
    var drawing = RowDrawing(columns: size.columns)
    if !modes.isAlternate {
      history.lines(since: mark) { line in line.rows(size.columns) { drawing.add($0) } }
    }
    for row in rows { drawing.add(row) }
    var bytes = begin + drawing.bytes
    if hasSetTabs { bytes += tabBytes }
    if region != 0...size.rows - 1 {
      bytes += Array("\u{1B}[\(region.lowerBound + 1);\(region.upperBound + 1)r".utf8)
    }
    bytes += going(to: saved, hasOrigin: saved.hasOrigin) + [0x1B, UInt8(ascii: "7")]
    bytes += Array("\u{1B}[?6l".utf8) + unprotected
    // Simple terminals know fewer sets, and show what designates the others.
    if !saved.charsets.bytes.isEmpty { bytes += Charsets.usualBytes }
    return bytes + going(to: cursor, hasOrigin: modes.hasOrigin) + modes.bytes + end
  }

  /// The part of the screen around the cursor that fits on a terminal of another size, and lines that left the screen,
  /// broken for that terminal. The modes that change what keys send are the session's, so that keys are right.
  func drawing(cutTo other: TerminalSize, linesSince mark: UInt64) -> [UInt8] {
    let firstRow = min(max(0, cursor.row - other.rows + 1), max(0, size.rows - other.rows))
    let firstColumn = min(max(0, cursor.column - other.columns + 1), max(0, size.columns - other.columns))
    let columns = firstColumn..<min(size.columns, firstColumn + other.columns)
    var drawing = RowDrawing(columns: other.columns)
    if !modes.isAlternate {
      history.lines(since: mark) { line in line.rows(other.columns) { drawing.add($0) } }
      drawing.endLine()
    }
    for row in firstRow..<firstRow + other.rows {
      drawing.add(row < size.rows ? rows[row].cells[columns] : [], wraps: false)
    }
    let bytes = begin + drawing.bytes + modes.bytes
    return bytes + Self.move(to: cursor.row - firstRow, cursor.column - firstColumn) + end
  }

  /// The right screen, usual modes, no cursor, and its top left corner.
  private var begin: [UInt8] {
    Array("\u{1B}[?25l\u{1B}[?1049\(modes.isAlternate ? "h" : "l")".utf8) + TerminalModes.usual + unprotected
      + Array("\u{1B}[H".utf8)
  }

  private var end: [UInt8] { modes.isCursorVisible ? Array("\u{1B}[?25h".utf8) : [] }

  private static func move(to row: Int, _ column: Int) -> [UInt8] {
    Array("\u{1B}[\(row + 1);\(column + 1)H".utf8)
  }

  private var tabBytes: [UInt8] {
    var bytes = Array("\u{1B}[3g".utf8)
    for column in 0..<size.columns where tabs[column] {
      bytes += Self.move(to: 0, column) + [0x1B, UInt8(ascii: "H")]
    }
    return bytes
  }

  /// Puts a terminal's cursor where this one is, with all that belongs to it.
  private func going(to cursor: Cursor, hasOrigin: Bool) -> [UInt8] {
    var bytes = hasOrigin ? Array("\u{1B}[?6h".utf8) : []
    let row = hasOrigin ? max(0, cursor.row - region.lowerBound) : cursor.row
    var last = cursor.column
    if cursor.isPending, rows[cursor.row].cells[last].isTail { last -= 1 }
    let cell = rows[cursor.row].cells[last]
    bytes += Self.move(to: row, last)
    if cursor.isPending, !cell.isErased {
      // Only a character in the last column makes the next one wrap.
      bytes += protection(cell.pen) + cell.pen.bytes
      RowDrawing.append(cell, to: &bytes)
      bytes += unprotected
    }
    return bytes + protection(cursor.pen) + cursor.pen.bytes + cursor.charsets.bytes
  }

  private var unprotected: [UInt8] { hasProtected ? Array("\u{1B}[0\"q".utf8) : [] }

  private func protection(_ pen: Pen) -> [UInt8] {
    pen.attributes.contains(.protected) ? Array("\u{1B}[1\"q".utf8) : []
  }
}
