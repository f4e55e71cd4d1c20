import SegueCore

/// Sentences on a narrow screen: a line that is too long is broken between words, and what follows stands below where
/// the text began. A terminal by itself would break in the middle of words.
enum WordWrap {
  static func wrapped(_ text: String, to width: Int) -> String {
    text.parts(at: "\n", omittingEmpty: false).flatMap { lines($0, width) }.joined(separator: "\n")
  }

  private static func lines(_ line: String, _ width: Int) -> [String] {
    // A command to be copied into a shell is one line, however long.
    guard DisplayWidth.of(line) > width, !line.drop(while: { $0 == " " }).begins(with: "segue ") else { return [line] }
    let indent = String(repeating: " ", count: indent(of: line, width))
    var lines: [String] = []
    var current = ""
    var hasWord = false
    var gap = ""
    for word in line.parts(at: " ", omittingEmpty: false) {
      // Two blanks have an empty word between them.
      defer { gap += " " }
      guard !word.isEmpty else { continue }
      let longer = current + gap + word
      gap = ""
      if hasWord, DisplayWidth.of(longer) > width {
        lines.append(current)
        current = indent + word
      } else {
        current = longer
      }
      hasWord = true
    }
    return lines + [current]
  }

  /// Below the last column of a table, else below the line's own beginning and a little to the right.
  private static func indent(of line: String, _ width: Int) -> Int {
    let start = line.prefix { $0 == " " }.count
    let text = line.dropFirst(start)
    if let gap = text.firstRange(of: "  ") {
      let column = start + text[..<gap.upperBound].count + text[gap.upperBound...].prefix { $0 == " " }.count
      if column <= width / 2 { return column }
    }
    return min(start + 2, width / 2)
  }
}
