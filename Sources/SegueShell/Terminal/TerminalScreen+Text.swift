import SegueCore

// Characters and the controls between them.

extension TerminalScreen {
  mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case 0x20...0x7E:
        var end = index + 1
        while end < bytes.count, bytes[end] >= 0x20, bytes[end] < 0x7F { end += 1 }
        write(ascii: bytes[index..<end])
        index = end
      case 0x80...0xFF:
        let (character, length) = Self.character(bytes[index...])
        write(character)
        index += length
      case 0x1B: index += takeSequence(bytes[index...])
      default:
        control(byte)
        index += 1
      }
    }
  }

  /// One of several bytes; they are valid UTF-8.
  private static func character(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> (UInt32, length: Int) {
    let first = bytes[bytes.startIndex]
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    let rest = bytes.dropFirst().prefix(length - 1)
    let character = rest.reduce(UInt32(first) & (0x7F >> UInt32(length))) { $0 << 6 | UInt32($1 & 0x3F) }
    return (character, rest.count + 1)
  }

  private mutating func control(_ byte: UInt8) {
    switch byte {
    case 0x08: moveTo(column: cursor.column - 1)
    case 0x09: tab(1)
    case 0x0A, 0x0B, 0x0C:
      lineFeed()
      if modes.startsLines { cursor.column = 0 }
    case 0x0D: moveTo(column: 0)
    case 0x0E: cursor.charsets.use(1)
    case 0x0F: cursor.charsets.use(0)
    default: break
    }
  }

  // MARK: Writing

  private mutating func write(ascii bytes: Slice<UnsafeBufferPointer<UInt8>>) {
    guard cursor.charsets.isPlain, !inserts else {
      for byte in bytes { write(UInt32(byte)) }
      return
    }
    var rest = bytes
    while !rest.isEmpty {
      if cursor.isPending { wrap() }
      let start = cursor.column
      let part = rest.prefix(size.columns - start)
      rest = rest.dropFirst(part.count)
      splitWide(cursor.row, start)
      splitWide(cursor.row, start + part.count)
      let pen = cursor.pen
      rows[cursor.row].cells.withUnsafeMutableBufferPointer { cells in
        for (column, byte) in zip(start..., part) { cells[column] = Cell(UInt32(byte), pen) }
      }
      rows[cursor.row].hasChanged()
      advance(part.count)
    }
  }

  private mutating func write(_ coded: UInt32) {
    let character = coded < 0x80 ? cursor.charsets.translate(coded) : coded
    let width = CharacterWidth.of(character)
    guard width > 0 else { return mark(character) }
    if cursor.isPending { wrap() }
    if cursor.column + width > size.columns {
      if wrapsLines {
        // A wide character does not fit into the last column.
        erase(cursor.row, cursor.column..<size.columns)
        rows[cursor.row].cells[cursor.column].character = Cell.leftOut
        wrap()
      } else {
        cursor.column = size.columns - width
      }
    }
    if inserts { insertCells(width) }
    let row = cursor.row
    splitWide(row, cursor.column)
    splitWide(row, cursor.column + width)
    rows[row].cells[cursor.column] = Cell(character, cursor.pen)
    if width == 2 { rows[row].cells[cursor.column + 1] = Cell(Cell.tail, cursor.pen) }
    rows[row].hasChanged()
    advance(width)
  }

  private mutating func advance(_ count: Int) {
    cursor.column += count
    guard cursor.column >= size.columns else { return }
    cursor.column = size.columns - 1
    cursor.isPending = wrapsLines
    unwrap(cursor.row)
  }

  private mutating func wrap() {
    rows[cursor.row].wraps = true
    cursor.isPending = false
    cursor.column = 0
    lineFeed(goesOn: true)
  }

  /// Puts a mark over the character before the cursor.
  private mutating func mark(_ mark: UInt32) {
    var column = cursor.isPending ? cursor.column : cursor.column - 1
    if column > 0, rows[cursor.row].cells[column].isTail { column -= 1 }
    guard column >= 0, !rows[cursor.row].cells[column].isErased else { return }
    rows[cursor.row].cells[column].add(mark: mark)
    rows[cursor.row].hasChanged()
  }

  /// Erases a wide character that the column splits: a write that begins or ends there would leave half of it.
  mutating func splitWide(_ row: Int, _ column: Int) {
    guard column > 0, column < size.columns, rows[row].cells[column].isTail else { return }
    for half in [column - 1, column] {
      rows[row].cells[half] = Cell(erased: rows[row].cells[half].pen.background)
    }
    rows[row].hasChanged()
  }

  // MARK: Lines

  /// `goesOn`: the line does, in the next row.
  mutating func lineFeed(goesOn: Bool = false) {
    cursor.isPending = false
    if cursor.row == region.upperBound {
      if !goesOn { unwrap(cursor.row) }
      scrollUp(1)
    } else if cursor.row < size.rows - 1 {
      cursor.row += 1
    }
  }

  /// The line of this row, which may be -1, ends with it.
  mutating func unwrap(_ row: Int) {
    if row >= 0 { rows[row].wraps = false } else if !modes.isAlternate { history.close() }
  }

  /// Moves the scrolling region up; rows that leave the usual screen at its top go to the history.
  mutating func scrollUp(_ count: Int) {
    let count = min(count, region.count)
    if region.lowerBound > 0 {
      unwrap(region.lowerBound - 1)
    } else if !modes.isAlternate {
      for row in rows[..<count] { history.push(row) }
      history.trim()
    }
    rows.removeSubrange(region.lowerBound..<region.lowerBound + count)
    insertRows(region.upperBound + 1 - count, count)
  }

  mutating func insertRows(_ index: Int, _ count: Int) {
    rows.insert(
      contentsOf: repeatElement(ScreenRow(blank: size.columns, cursor.pen.background), count: count), at: index)
  }

  mutating func scrollDown(_ count: Int) {
    let count = min(count, region.count)
    unwrap(region.lowerBound - 1)
    rows.removeSubrange(region.upperBound + 1 - count...region.upperBound)
    insertRows(region.lowerBound, count)
    unwrap(region.upperBound)
  }
}
