import Testing

@testable import SegueShell

/// A terminal as a session or a viewer has it: what is written to it is filtered, and shown.
struct ShownTerminal {
  var filter = OutputFilter()
  var screen: TerminalScreen

  init(_ size: TerminalSize) { screen = TerminalScreen(size) }

  @discardableResult mutating func show(_ bytes: [UInt8]) -> [UInt8] { screen.write(filter.filter(bytes).screen) }
  @discardableResult mutating func show(_ text: String) -> [UInt8] { show(Array(text.utf8)) }
  var drawing: [UInt8] { screen.drawing(linesSince: 0) }

  /// All lines that are on its usual screen or have left it, however wide the screen is: characters and looks.
  var lines: [[Cell]] {
    var lines: [TextLine] = []
    screen.history.lines(since: 0) { lines.append($0) }
    let rows = screen.modes.isAlternate ? screen.hidden : screen.rows
    for row in rows {
      let goesOn = lines.last?.isWhole == false
      var line = goesOn ? lines.removeLast() : TextLine()
      line.append(row)
      lines.append(line)
    }
    // Whether the last place of a line is erased or written with a blank is all the same.
    var cells = lines.map { line in line.cells.map { $0.isErased ? Cell(0x20, $0.pen) : $0 } }
    while cells.last?.isEmpty == true { cells.removeLast() }
    return cells
  }

  /// The first line that is another one here, and how.
  func difference(from lines: [[Cell]]) -> String? {
    let own = self.lines
    for index in 0..<max(own.count, lines.count) {
      let one = index < own.count ? own[index] : []
      let two = index < lines.count ? lines[index] : []
      guard one != two else { continue }
      let column = zip(one, two).enumerated().first { $1.0 != $1.1 }?.offset ?? min(one.count, two.count)
      return
        "line \(index) of \(own.count), \(lines.count), from column \(column): \(Self.text(one)) | \(Self.text(two))"
    }
    return nil
  }

  /// The same without looks.
  var text: [String] { lines.map(Self.text) }

  /// The text on its screen, row by row.
  var shown: [String] { screen.rows.map { Self.text($0.cells.filter { !$0.isTail }) } }

  static func text(_ cells: [Cell]) -> String {
    var text = ""
    for cell in cells {
      for character in cell.characters {
        text.unicodeScalars.append(Unicode.Scalar(character == 0 ? 32 : character) ?? "?")
      }
    }
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}

/// Everything that decides what a terminal shows now and later is the same. `but`: what is another has a name.
func expectSame(
  _ one: TerminalScreen, _ two: TerminalScreen, _ what: @autoclosure () -> String,
  _ place: SourceLocation = #_sourceLocation
) {
  #expect(one.size == two.size, "\(what())", sourceLocation: place)
  for row in 0..<min(one.rows.count, two.rows.count) {
    for (column, (one, two)) in zip(one.rows[row].cells, two.rows[row].cells).enumerated()
    where one != two && !(one.isErased && two.isErased && one.pen == two.pen) {
      Issue.record("\(what()): row \(row), column \(column): \(one) is not \(two)", sourceLocation: place)
      return
    }
  }
  #expect(one.cursor == two.cursor, "\(what())", sourceLocation: place)
  #expect(one.modes == two.modes, "\(what())", sourceLocation: place)
  #expect(one.region == two.region, "\(what())", sourceLocation: place)
  #expect(one.tabs[..<one.size.columns] == two.tabs[..<two.size.columns], "\(what())", sourceLocation: place)
}
