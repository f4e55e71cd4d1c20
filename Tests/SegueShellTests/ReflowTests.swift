import SegueCore
import Testing

@testable import SegueShell

/// No text on a session's terminal, or that has left it, is lost, whatever sizes the terminal has one after the other.
@Suite struct ReflowTests {
  private let parts = [
    "word ", "a longer word, ", "日本語", "e\u{301}", "\u{1B}[31m", "\u{1B}[m", "\u{1B}[44m", "\u{1B}[2;8m", "\r\n",
    "\r\n", "\t",
    "0123456789012345678901234567890123456789", "\u{1B}[K", "\u{1B}[3C", "x\u{1B}[5Dy", "\u{1B}M", "👩\u{200D}👧",
  ]

  private func size(_ random: inout some RandomNumberGenerator) -> TerminalSize {
    TerminalSize(rows: .random(in: 1...50, using: &random), columns: .random(in: 2...130, using: &random))
  }

  @Test func narrowAndWideAgain() {
    var session = ShownTerminal(TerminalSize(rows: 20, columns: 120))
    for line in 0..<40 { session.show("\u{1B}[32m\(line)\u{1B}[m " + String(repeating: "end", count: line) + "\r\n") }
    let before = session
    for columns in [80, 120, 7, 200, 121, 120] { session.screen.resize(TerminalSize(rows: 20, columns: columns)) }
    expectSame(session.screen, before.screen, "as before")
    #expect(session.difference(from: before.lines) == nil)
    for rows in [5, 1, 60, 20] { session.screen.resize(TerminalSize(rows: rows, columns: 120)) }
    expectSame(session.screen, before.screen, "as before")
    #expect(session.difference(from: before.lines) == nil)
  }

  @Test(arguments: 0..<100) func anySizesOneAfterTheOther(_ seed: Int) {
    var random = Seeded(seed)
    var session = ShownTerminal(size(&random))
    for _ in 0..<5 {
      for _ in 0..<Int.random(in: 1...400, using: &random) { session.show(parts.randomElement(using: &random) ?? "") }
      let lines = session.lines
      for _ in 0..<10 {
        session.screen.resize(size(&random))
        let difference = session.difference(from: lines)
        #expect(difference == nil, "\(seed) at \(session.screen.size)")
        if difference != nil { return }
      }
    }
  }

  /// While a program has the alternate screen, too.
  @Test(arguments: 0..<20) func behindTheAlternateScreen(_ seed: Int) {
    var random = Seeded(seed)
    var session = ShownTerminal(size(&random))
    for _ in 0..<300 { session.show(parts.randomElement(using: &random) ?? "") }
    session.show("\u{1B}[?1049hon the other one")
    let lines = session.lines
    for _ in 0..<20 {
      session.screen.resize(size(&random))
      let difference = session.difference(from: lines)
      #expect(difference == nil)
    }
    session.show("\u{1B}[?1049l")
    let difference = session.difference(from: lines)
    #expect(difference == nil)
  }

  /// The next output goes where it would have gone.
  @Test(arguments: [2, 3, 10, 39, 40, 41, 79, 80, 81, 130]) func theCursorStaysInItsLine(_ columns: Int) {
    for text in [
      "prompt$ ", String(repeating: "x", count: 80), String(repeating: "日", count: 40), "",
      "ab" + String(repeating: "日", count: 70),
    ] {
      var session = ShownTerminal(TerminalSize(rows: 10, columns: 80))
      session.show("first\r\n" + text)
      session.screen.resize(TerminalSize(rows: 10, columns: columns))
      session.show("more")
      #expect(session.text == ["first", text + "more"], "\(text)")
    }
  }

  /// Each line that has left the screen is on a viewer's terminal, whatever sizes both have.
  @Test(arguments: 0..<20) func aViewerOfAnySizeHasWhatLeftTheScreen(_ seed: Int) {
    var random = Seeded(seed)
    var session = ShownTerminal(size(&random))
    var viewer = ShownTerminal(size(&random))
    var mark: UInt64 = 0
    for line in 0..<300 {
      for word in 0...Int.random(in: 0...30, using: &random) { session.show("<\(line).\(word)> ") }
      session.show("\r\n")
      if Int.random(in: 0..<10, using: &random) == 0 { session.screen.resize(size(&random)) }
      if Int.random(in: 0..<5, using: &random) == 0 {
        viewer.show(session.screen.drawing(cutTo: viewer.screen.size, linesSince: mark))
        mark = max(mark, session.screen.scrolled)
      }
    }
    viewer.show(session.screen.drawing(cutTo: viewer.screen.size, linesSince: mark))
    let text = viewer.text
    let words = Set(text.flatMap { $0.split(separator: " ") })
    let has = text.joined()
    var missing: [Substring] = []
    session.screen.history.lines(since: 0) { line in
      missing += ShownTerminal.text(line.cells).split(separator: " ").filter { word in
        // Where a part of a line had left the screen when it was drawn, the rest of it is another line there, which may
        // begin a little before the end of that part.
        word.hasSuffix(">") && !words.contains(word) && !has.contains(word)
          && !(1..<word.count).contains { end in
            text.contains { $0.hasSuffix(word.prefix(end)) }
              && (1...end).contains { start in text.contains { $0.hasPrefix(word.dropFirst(start)) } }
          }
      }
    }
    #expect(missing.isEmpty)
  }

  @Test func linesAreKeptToABound() {
    var session = ShownTerminal(TerminalSize(rows: 5, columns: Limits.shellColumns))
    let text = String(repeating: "x", count: Limits.shellColumns - 1)
    for _ in 0..<3_000 { session.show(text + "\r\n") }
    #expect(session.text.count == Limits.shellHistory + 4)
    // Where each place has a look of its own fewer are kept.
    let colours = (0..<Limits.shellColumns - 1).map { "\u{1B}[38;5;\($0 % 256)mx" }.joined()
    for _ in 0..<1_000 { session.show(colours + "\r\n") }
    #expect(session.text.count < 400 && session.text.count > 200)
    // A line without an end counts as several.
    session.screen.clearHistory()
    session.show(String(repeating: "y", count: 10 * Limits.shellLine))
    #expect(session.text.count >= 9)
    #expect(session.text.allSatisfy { $0.count <= Limits.shellLine + 6 * Limits.shellColumns })
    session.screen.resize(TerminalSize(rows: 50, columns: 20))
    #expect(session.text.reduce(0) { $0 + $1.count { $0 == "y" } } == 10 * Limits.shellLine)
  }
}

/// Numbers that a seed gives.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: Int) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
