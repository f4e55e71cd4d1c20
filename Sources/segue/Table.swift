import SegueCore

/// Columns that align.
struct Table {
  private var rows: [[(text: String, width: Int)]] = []

  init(_ headings: [String]? = nil) {
    if let headings { add(headings) }
  }

  /// Adds a row; a text longer than `maximum` bytes is cut, as title and names are for display everywhere.
  mutating func add(_ cells: [String], maximum: Int = Limits.titleAdvised) {
    rows.append(
      cells.map { cell in
        let text = DisplayText.clean(cell, maximum: maximum)
        return (text, DisplayWidth.of(text))
      })
  }

  /// Two spaces between columns, none at the end of a line.
  var lines: [String] {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.width)
      }
    }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        line += cell.text
        if column < row.count - 1 { line += String(repeating: " ", count: widths[column] - cell.width + 2) }
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}

/// How many columns of a terminal a text takes.
enum DisplayWidth {
  static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

  /// A character is as wide as the first of its scalars; the rest combine with it.
  private static func of(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    if scalar.properties.isEmojiPresentation { return 2 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch scalar.value {
    // East Asian wide and full-width blocks (Unicode Standard Annex 11).
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1B000...0x1B2FF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
