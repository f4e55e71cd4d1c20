import Testing

@testable import SegueShell

/// A terminal that was drawn anew shows the same as the session's.
@Suite struct TerminalScreenTests {
  private let size = TerminalSize(rows: 6, columns: 20)

  @Test(arguments: [
    "", "one\r\ntwo\r\n$ ", "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n9",
    "\u{1B}[31;1mred\u{1B}[42mon green\u{1B}[m plain",
    "\u{1B}[38;2;10;20;30mtrue\u{1B}[38;5;200mcolour\u{1B}[7mreverse\u{1B}[4;3;9m", "日本語のテキスト、幅が広い", "e\u{301}a\u{308}",
    String(repeating: "x", count: 20), String(repeating: "y", count: 130),
    "\u{1B}[?1049h\u{1B}[3;5Hvim\u{1B}[?1h\u{1B}=",
    "\u{1B}[?25l\u{1B}[?2004h\u{1B}[?1003h\u{1B}[?1006h", "\u{1B}[2;4r\u{1B}[3;3Habc",
    "\u{1B}[2;4r\u{1B}[?6h\u{1B}[2;2H",
    // Attributes: dim and concealed, each kind of line, and colours for them; more than fit into one sequence.
    "\u{1B}[2mdim\u{1B}[8mconcealed\u{1B}[22;28;1;6mfast\u{1B}[53mover\u{1B}[4:3;58:2::1:2:3mcurly\u{1B}[58;5;9;4:5mdashed",
    "\u{1B}[1;2;3;4:4;5;6;7;8;9;53m\u{1B}[38;2;1;2;3;48:2:4:5:6m\u{1B}[58:5:7mall",
    "\u{1B}[21mtwo\u{1B}[24;38;5;1mred\u{1B}[91mlight",
    "\u{1B}[1\"qprotected\u{1B}[0\"q not\u{1B}[?2K\u{1B}[1\"q",
    // The saved cursor, with its look and characters, also where the next one wraps; tab stops; and the end of a line.
    "\u{1B}[3;4H\u{1B}[31m\u{1B}(0\u{1B}7\u{1B}[H\u{1B}[m\u{1B}(Babc",
    String(repeating: "z", count: 20) + "\u{1B}7\r\nabc",
    "\u{1B}[2;5r\u{1B}[?6h\u{1B}[2;2H\u{1B}7\u{1B}[?6l\u{1B}[H", "\u{1B}[3g\u{1B}[1;4H\u{1B}H\u{1B}[1;9H\u{1B}H\r",
    String(repeating: "日", count: 10), String(repeating: "x", count: 19) + "日", "\u{1B}[4h\u{1B}[1;18Habcd\u{1B}[20h",
    "\u{1B}[?7labcdefghijklmnopqrstuvwxyz", "\u{1B}[41m\u{1B}[K\u{1B}[5C\u{1B}[42mx\u{1B}[3;7Hy\u{1B}[1J",
    "\u{1B}[5;2r",
    "\u{1B}n\u{1B}*0a", "\u{1B}*0\u{1B}N", "e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308}",
    "\u{1B}[3;3H\u{1B}7\u{1B}[?1049h\u{1B}[2;2H\u{1B}7\u{1B}[5;5Hx", "\u{1B}(0lqqk\u{1B}(B",
    "\u{1B}[44m\u{1B}[2J\u{1B}[H", "\u{1B}[6;20Hx",
  ])
  func aDrawingShowsTheSame(_ text: String) {
    var session = ShownTerminal(size)
    session.show(text)
    // On a terminal that shows something else, in other modes.
    var viewer = ShownTerminal(size)
    viewer.show("\u{1B}[?1049h\u{1B}[41mrubbish\u{1B}[2;3r\u{1B}[?6h\u{1B}[4h\u{1B}[?1000h\u{1B}(0\u{1B}[?7l")
    viewer.show(session.drawing)
    expectSame(viewer.screen, session.screen, text)
    #expect(viewer.drawing == session.drawing)
    // And from there on the same output has the same effect.
    for more in ["x", "\r\tmore\r\n\u{1B}[Aend", "\u{1B}8saved", "\u{1B}[3;3H日本"] {
      session.show(more)
      viewer.show(more)
      expectSame(viewer.screen, session.screen, text + more)
    }
  }

  @Test func linesThatLeftTheScreenAreDrawnOnce() {
    var session = ShownTerminal(size)
    var marks: [UInt64] = []
    for line in 1...4_000 {
      session.show("line \(line)\r\n")
      marks.append(session.screen.scrolled)
    }
    let scrolled = session.screen.scrolled
    #expect(marks == marks.sorted())
    func text(since mark: UInt64) -> String {
      String(decoding: session.screen.drawing(linesSince: mark), as: UTF8.self)
    }
    #expect(text(since: 0).contains("line 1996\u{1B}"))
    #expect(!text(since: 0).contains("line 1995\u{1B}"))
    #expect(text(since: marks[marks.count - 3]).contains("line 3994\u{1B}"))
    #expect(!text(since: marks[marks.count - 3]).contains("line 3993\u{1B}"))
    #expect(!text(since: scrolled + 9).contains("line 3995\u{1B}"))
    session.screen.clearHistory()
    #expect(!text(since: 0).contains("line 3995\u{1B}"))
  }

  @Test func questionsAreAnswered() {
    var session = ShownTerminal(size)
    #expect(session.show("\u{1B}[3;5H\u{1B}[6n") == Array("\u{1B}[3;5R".utf8))
    #expect(session.show("\u{1B}[5n") == Array("\u{1B}[0n".utf8))
    #expect(String(decoding: session.show("\u{1B}[c"), as: UTF8.self).hasPrefix("\u{1B}[?"))
    #expect(session.show("\u{1B}]52;c;?\u{7}\u{1B}[21t").isEmpty)
  }

  /// A cursor that was saved on a larger screen can be restored on a smaller one.
  @Test(arguments: ["\u{1B}8x", "\u{1B}[ux", "\u{1B}[?1049lx", "\u{1B}[?1048lx", "x", "\u{1B}[9999Ax"])
  func attack25_whatWasSavedOnALargerScreen(_ text: String) {
    for saved in ["\u{1B}[50;70H\u{1B}7", "\u{1B}[50;70H\u{1B}[?1049h", "\u{1B}[40;50r\u{1B}[?6h\u{1B}[9;9H\u{1B}7"] {
      for rows in 1...12 {
        var session = ShownTerminal(TerminalSize(rows: 50, columns: 70))
        session.show(String(repeating: "a\r\n", count: rows * 3) + saved)
        session.screen.resize(TerminalSize(rows: rows, columns: 9))
        session.show(text)
        #expect(session.drawing.contains(UInt8(ascii: "x")))
      }
    }
  }

  @Test func aSmallerTerminalShowsThePartWithTheCursor() {
    var session = ShownTerminal(size)
    session.show("one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n0123456789abcdef")
    let small = TerminalSize(rows: 2, columns: 10)
    var viewer = ShownTerminal(small)
    viewer.show(session.screen.drawing(cutTo: small, linesSince: 0))
    let text = String(decoding: viewer.drawing, as: UTF8.self)
    #expect(text.contains("789abcdef"))
    #expect(!text.contains("four"))
    let large = TerminalSize(rows: 9, columns: 40)
    viewer = ShownTerminal(large)
    viewer.show(session.screen.drawing(cutTo: large, linesSince: 0))
    #expect(String(decoding: viewer.drawing, as: UTF8.self).contains("0123456789abcdef"))
  }

  /// Drawing ends and is right, whatever bytes a program writes and however its terminal changes.
  @Test func attack25_anyBytesAndAnySize() {
    var random = SystemRandomNumberGenerator()
    let parts = [
      "\u{1B}[", "\u{1B}", "?", ";", "1049", "h", "l", "9999", "2", "r", "S", "T", "L", "M", "@", "P", "X", "日",
      "e\u{301}",
      "\r\n", "\t", "J", "K", "H", "\u{1B}M", "\u{1B}D", "\u{1B}#8", "\u{1B}c", "\u{1B}P$q", "\u{1B}\\", "b",
      "\u{1B}]0;",
    ]
    for _ in 0..<200 {
      var session = ShownTerminal(size)
      for _ in 0..<60 {
        session.show((0..<20).map { _ in parts.randomElement(using: &random) ?? "" }.joined())
        session.show((0..<20).map { _ in UInt8.random(in: .min ... .max, using: &random) })
        let size = TerminalSize(rows: .random(in: 0...60), columns: .random(in: 0...90))
        session.screen.resize(size)
        let drawing = session.drawing
        var viewer = OutputFilter()
        #expect(viewer.filter(drawing).shown == drawing)
      }
    }
  }
}
