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

  /// No column is made narrower than that: the start of an id stays whole.
  private static let leastWidth = 12

  /// Two spaces between columns, none at the end of a line.
  var lines: [String] { lines(fitting: nil) }

  /// The same on a screen that is so wide: where a line would not fit, the widest columns are cut.
  func lines(fitting screen: Int?) -> [String] {
    let widths = widths(fitting: screen)
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        let text = cell.width > widths[column] ? DisplayWidth.cut(cell.text, to: widths[column]) : cell.text
        line += text
        if column < row.count - 1 {
          line += String(repeating: " ", count: widths[column] - DisplayWidth.of(text) + 2)
        }
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  private func widths(fitting screen: Int?) -> [Int] {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.width)
      }
    }
    guard let screen else { return widths }
    while widths.reduce(0, +) + 2 * (widths.count - 1) > screen, let widest = widths.max(), widest > Self.leastWidth,
      let column = widths.firstIndex(of: widest)
    {
      widths[column] -= 1
    }
    return widths
  }
}

/// How many columns of a terminal a text takes.
enum DisplayWidth {
  static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

  /// As much of a text as fits, with a sign that there is more.
  static func cut(_ text: String, to width: Int) -> String {
    var cut = ""
    var rest = width - 1
    for character in text {
      rest -= of(character)
      guard rest >= 0 else { break }
      cut.append(character)
    }
    return cut + "…"
  }

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
