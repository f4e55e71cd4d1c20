/// Brings the usual screen to another size: its lines are broken anew, and rows go to the history and come back from
/// it. Pure.
///
/// It works as in terminals that reflow, so that a viewer's own, which changes its size, moves the same rows: the last
/// row keeps its distance from the bottom. Where there is less room, empty rows below the last line go first.
struct ScreenReflow {
  let old: TerminalSize
  let new: TerminalSize

  init(from old: TerminalSize, to new: TerminalSize) {
    self.old = old
    self.new = new
  }

  /// `places`: cursors on the screen, the first one being that in use.
  func apply(_ rows: inout [ScreenRow], _ history: inout ScreenHistory, _ places: inout [TerminalScreen.Cursor]) {
    let last = max(places[0].row, rows.lastIndex { !$0.isBlank } ?? 0)
    let below = old.rows - 1 - last
    var broken: [ScreenRow] = []
    var line = history.isOpen ? history.popLine() ?? TextLine() : TextLine()
    var moved = places
    // Where each place is in the line, in cells.
    var offsets: [(place: Int, cell: Int)] = []
    for index in 0...last {
      var row = rows[index]
      for (place, cursor) in places.enumerated() where cursor.row == index {
        let column = cursor.isPending ? cursor.column + 1 : cursor.column
        let before = row.cells[..<min(column, row.cells.count)].reduce(0) { $0 + ($1.isTail || $1.isLeftOut ? 0 : 1) }
        offsets.append((place, line.cells.count + before))
      }
      row.wraps = row.wraps && index < last
      line.append(row)
      if !row.wraps {
        let first = broken.count
        line.rows(new.columns) { broken.append($0) }
        for (place, cell) in offsets {
          moved[place] = locate(cell, places[place], in: broken, from: first, line)
        }
        offsets = []
        line = TextLine()
      }
    }
    // A place below the last row stays as far below it.
    for (place, cursor) in places.enumerated() where cursor.row > last {
      moved[place].row = broken.count - 1 + cursor.row - last
    }

    var above = 0
    while broken.count + below < new.rows, let line = history.popLine() {
      let rows = line.rows(new.columns)
      broken.insert(contentsOf: rows, at: 0)
      above += rows.count
    }
    let empty = max(0, min(below, new.rows - broken.count))
    let leaving = max(0, broken.count + empty - new.rows)
    for row in broken[..<leaving] { history.push(row) }
    broken.removeFirst(leaving)
    while broken.count < new.rows { broken.append(ScreenRow(blank: new.columns)) }
    rows = broken
    for index in moved.indices {
      moved[index].row = min(max(0, moved[index].row + above - leaving), new.rows - 1)
      let column = min(moved[index].column, new.columns - 1)
      moved[index].isPending = moved[index].isPending && column == new.columns - 1
      moved[index].column = column
    }
    places = moved
  }

  /// Where a cell of a line is now.
  private func locate(
    _ cell: Int, _ cursor: TerminalScreen.Cursor, in rows: [ScreenRow], from first: Int, _ line: TextLine
  ) -> TerminalScreen.Cursor {
    var moved = cursor
    moved.isPending = false
    var passed = 0
    for index in first..<rows.count {
      let row = rows[index]
      let isLast = index == rows.count - 1
      let end = isLast ? row.content.count : row.cells.count
      for column in 0..<end where !row.cells[column].isTail && !row.cells[column].isLeftOut {
        if passed == cell {
          moved.row = index
          moved.column = column
          return moved
        }
        passed += 1
      }
      guard isLast else { continue }
      moved.row = index
      moved.column = end + cell - passed
      if moved.column >= new.columns {
        // Right behind the last character of a full row: the next one goes to the next row.
        moved.isPending = end == new.columns && moved.column == end
        moved.column = new.columns - 1
      }
    }
    return moved
  }
}
