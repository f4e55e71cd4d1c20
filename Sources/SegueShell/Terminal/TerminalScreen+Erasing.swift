// Sequences that erase, insert and delete.

extension TerminalScreen {
  /// Erases in the pen's background. `selectively`: except protected cells.
  mutating func erase(_ row: Int, _ columns: Range<Int>, selectively: Bool = false) {
    guard !columns.isEmpty else { return }
    splitWide(row, columns.lowerBound)
    splitWide(row, columns.upperBound)
    let blank = Cell(erased: cursor.pen.background)
    for column in columns
    where !selectively || !rows[row].cells[column].pen.attributes.contains(.protected) {
      rows[row].cells[column] = blank
    }
    rows[row].hasChanged()
    if columns.upperBound == size.columns { unwrap(row) }
    if columns.lowerBound == 0 { unwrap(row - 1) }
  }

  mutating func eraseLine(_ which: Int, selectively: Bool) {
    cursor.isPending = false
    switch which {
    case 0: erase(cursor.row, cursor.column..<size.columns, selectively: selectively)
    case 1: erase(cursor.row, 0..<cursor.column + 1, selectively: selectively)
    case 2: erase(cursor.row, 0..<size.columns, selectively: selectively)
    default: break
    }
  }

  mutating func eraseScreen(_ which: Int, selectively: Bool) {
    switch which {
    case 0:
      eraseLine(0, selectively: selectively)
      for row in cursor.row + 1..<size.rows { erase(row, 0..<size.columns, selectively: selectively) }
    case 1:
      for row in 0..<cursor.row { erase(row, 0..<size.columns, selectively: selectively) }
      eraseLine(1, selectively: selectively)
    case 2:
      cursor.isPending = false
      for row in 0..<size.rows { erase(row, 0..<size.columns, selectively: selectively) }
    default: break
    }
  }

  mutating func eraseAll() { eraseScreen(2, selectively: false) }

  /// Inserts at the cursor; cells that leave the row at its right are gone.
  mutating func insertCells(_ count: Int) {
    let row = cursor.row
    let count = min(count, size.columns - cursor.column)
    splitWide(row, cursor.column)
    rows[row].cells.removeLast(count)
    if let last = rows[row].cells.last, last.isWide {
      rows[row].cells[rows[row].cells.count - 1] = Cell(erased: last.pen.background)
    }
    rows[row].cells.insert(
      contentsOf: repeatElement(Cell(erased: cursor.pen.background), count: count), at: cursor.column)
    rows[row].hasChanged()
    unwrap(row)
  }

  mutating func deleteCells(_ count: Int) {
    cursor.isPending = false
    let row = cursor.row
    let count = min(count, size.columns - cursor.column)
    splitWide(row, cursor.column)
    splitWide(row, cursor.column + count)
    rows[row].cells.removeSubrange(cursor.column..<cursor.column + count)
    rows[row].cells += Array(repeating: Cell(erased: cursor.pen.background), count: count)
    rows[row].hasChanged()
    unwrap(row)
  }

  /// Between the cursor's row and the last one that scrolls.
  mutating func insertLines(_ count: Int) {
    guard region.contains(cursor.row) else { return }
    let count = min(count, region.upperBound + 1 - cursor.row)
    unwrap(cursor.row - 1)
    rows.removeSubrange(region.upperBound + 1 - count...region.upperBound)
    insertRows(cursor.row, count)
    unwrap(region.upperBound)
    moveTo(column: 0)
  }

  mutating func deleteLines(_ count: Int) {
    guard region.contains(cursor.row) else { return }
    let count = min(count, region.upperBound + 1 - cursor.row)
    unwrap(cursor.row - 1)
    unwrap(region.upperBound)
    rows.removeSubrange(cursor.row..<cursor.row + count)
    insertRows(region.upperBound + 1 - count, count)
    moveTo(column: 0)
  }

  /// With E, for adjusting a screen: what DECALN does.
  mutating func fill() {
    changeModes { $0.set(6, false) }
    region = 0...size.rows - 1
    history.close()
    for row in rows.indices {
      rows[row] = ScreenRow(Array(repeating: Cell(0x45, Pen()), count: size.columns))
    }
    moveTo(row: 0, column: 0)
  }
}
