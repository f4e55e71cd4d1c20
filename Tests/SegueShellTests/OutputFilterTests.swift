import SegueCore
import Testing

@testable import SegueShell

/// The sequences that a program, or a session of another device, may send to a terminal.
@Suite struct OutputFilterTests {
  private func filter(_ text: String) -> (shown: String, screen: String) {
    var filter = OutputFilter()
    let passed = filter.filter(Array(text.utf8))
    return (String(decoding: passed.shown, as: UTF8.self), String(decoding: passed.screen, as: UTF8.self))
  }

  @Test(arguments: [
    "plain text\r\n", "a\tb\u{8}c\u{7}", "größer 日本 e\u{301} 👩‍👩‍👧", "\u{1B}[31;1mred\u{1B}[m",
    "\u{1B}[38;2;1;2;3m\u{1B}[38:5:17m\u{1B}[4:3m",
    "\u{1B}[2J\u{1B}[H\u{1B}[10;20H\u{1B}[K\u{1B}[1J\u{1B}[?2J\u{1B}[?K", "\u{1B}7\u{1B}8",
    "\u{1B}[?1049h\u{1B}[?1049l", "\u{1B}[?2004h\u{1B}[?1h\u{1B}=\u{1B}>", "\u{1B}[5;20r\u{1B}[r",
    "\u{1B}(0lqk\u{1B}(B",
    "\u{0E}\u{0F}", "\u{1B}[4h\u{1B}[4l", "\u{1B}[2 q", "\u{1B}[?1000h\u{1B}[?1006h", "\u{1B}M\u{1B}D\u{1B}E",
    "\u{1B}#8", "\u{1B}[s\u{1B}[u", "\u{1B}[!p",
  ])
  func whatEverybodyGets(_ text: String) {
    #expect(filter(text).shown == text)
    #expect(filter(text).screen == text)
  }

  /// Sequences that make a terminal answer: the answers of several terminals would all be typed into the session, and a
  /// session of another device could make this terminal type.
  @Test(arguments: [
    "\u{1B}[c", "\u{1B}[0c", "\u{1B}[>c", "\u{1B}[5n", "\u{1B}[6n", "\u{1B}[?6n", "\u{1B}[?2004$p",
    "\u{1B}P$qm\u{1B}\\",
    "\u{1B}P$q q\u{1B}\\",
  ])
  func aQuestionIsAnsweredByTheSessionAlone(_ text: String) {
    #expect(filter("a" + text + "b").shown == "ab")
    #expect(filter("a" + text + "b").screen == "a" + text + "b")
  }

  /// Sequences that reach no terminal.
  @Test(arguments: [
    // ENQ, and other controls that are none of a screen.
    "\u{5}", "\0", "\u{11}\u{13}", "\u{7F}",
    // The clipboard, read and written; titles that are asked for; colours, folders, links, notifications.
    "\u{1B}]52;c;?\u{7}", "\u{1B}]52;c;aGk=\u{1B}\\", "\u{1B}[21t", "\u{1B}[20t", "\u{1B}[14t", "\u{1B}[8;9;9t",
    "\u{1B}[22;0t", "\u{1B}]10;?\u{7}", "\u{1B}]4;1;?\u{1B}\\", "\u{1B}]11;#000000\u{7}", "\u{1B}]7;file:///\u{7}",
    "\u{1B}]8;;http://a\u{7}", "\u{1B}]9;hello\u{7}", "\u{1B}]777;notify;a;b\u{7}", "\u{1B}]1337;File=:\u{7}",
    // Settings and capabilities that are asked for.
    "\u{1B}P$q\"p\u{1B}\\", "\u{1B}P$qt\u{1B}\\", "\u{1B}P+q544e\u{1B}\\", "\u{1B}[>q", "\u{1B}[=c", "\u{1B}[x",
    "\u{1B}[1x", "\u{1B}Z", "\u{1B}[?u", "\u{1B}[>1u", "\u{1B}[>4;2m", "\u{1B}[?26n", "\u{1B}[?15n",
    "\u{1B}[?1$p\u{18}"
      .replacing("$p", with: "$y"),
    // The printer, lights, keys that are defined anew, pictures, files, macros; other character sets.
    "\u{1B}[5i", "\u{1B}[?5i", "\u{1B}[1q", "\u{1B}P1;1|17/17\u{1B}\\", "\u{1B}Pq#0\u{1B}\\", "\u{1B}_Gi=1;\u{1B}\\",
    "\u{1B}^private\u{1B}\\", "\u{1B}Xstart\u{1B}\\", "\u{1B}%@", "\u{1B} G", "\u{1B} F", "\u{1B}(K", "\u{1B}#3",
    // 132 columns, margins, modes that nobody knows; sequences with too much in them, or what does not belong there.
    "\u{1B}[?3h", "\u{1B}[?69h", "\u{1B}[?9001h", "\u{1B}[2h", "\u{1B}[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17m",
    // Lines that left the screen, which on a viewer's terminal are others' too.
    "\u{1B}[3J", "\u{1B}[?3J", "\u{1B}[03J", "\u{1B}[2;3J", "\u{1B}[3;1J", "\u{1B}[22J", "\u{1B}[3:1J",
    "\u{1B}[1;2;3;4;5T", "\u{1B}[1;2s", "\u{1B}[1 \"q", "\u{1B}[3?1h", "\u{1B}[31\u{18}", "\u{1B}]0;never ends\u{18}",
    // C1 controls as characters: CSI, OSC, DCS, ST.
    "\u{9B}", "\u{9D}", "\u{90}", "\u{9C}",
  ])
  func attack25_nobodyGetsIt(_ text: String) {
    #expect(filter("a" + text + "b").shown == "ab")
    #expect(filter("a" + text + "b").screen == "ab")
  }

  @Test func aTitleIsTakenOutAndCleaned() {
    var filter = OutputFilter()
    let passed = filter.filter(Array("a\u{1B}]0;one\u{7}\u{1B}]1;icon\u{7}\u{1B}]2;t\u{202E}wo\u{9B}\u{1B}\\b".utf8))
    #expect(passed.shown == Array("ab".utf8))
    #expect(passed.title == "two")
    #expect(filter.filter(Array("\u{1B}]2;\(String(repeating: "x", count: 900))\u{7}".utf8)).title?.count == 128)
    #expect(filter.filter(Array("\u{1B}]2;\(String(repeating: "x", count: 9000))\u{7}b".utf8)).title == nil)
  }

  @Test func bytesThatAreNoCharactersAreReplaced() {
    var filter = OutputFilter()
    let bytes: [UInt8] = [0x61, 0xFF, 0xC0, 0xAF, 0xED, 0xA0, 0x80, 0xE2, 0x82, 0x62, 0xF4, 0x90, 0x80, 0x80, 0x63]
    let shown = String(decoding: filter.filter(bytes).shown, as: UTF8.self)
    #expect(shown.filter { $0 != "\u{FFFD}" } == "abc")
    #expect(String(validating: filter.filter(bytes).shown, as: UTF8.self) != nil)
  }

  /// However it is cut, the same comes out, in whole sequences and characters.
  @Test func cutsMakeNoDifference() {
    let text = Array("日本\u{1B}[1;31mred\u{1B}]0;title\u{1B}\\\u{1B}P$qm\u{1B}\\\u{1B}[?1049h\u{1B}(0é\u{1B}[3b!".utf8)
    var whole = OutputFilter()
    let expected = whole.filter(text)
    for cut in 0...text.count {
      var filter = OutputFilter()
      let one = filter.filter(Array(text[..<cut]))
      let two = filter.filter(Array(text[cut...]))
      #expect(one.shown + two.shown == expected.shown)
      #expect(one.screen + two.screen == expected.screen)
      // A second filter, which begins between them, takes both for the same.
      var viewer = OutputFilter()
      #expect(viewer.filter(one.shown).shown + viewer.filter(two.shown).shown == expected.shown)
      #expect(filter.modes == whole.modes)
    }
  }

  /// A viewer's filter passes everything that its session's filter has passed: nothing is lost on the way.
  @Test func twiceIsAsOnce() {
    var random = SystemRandomNumberGenerator()
    let parts = [
      "\u{1B}", "[", "]", "?", "1", "0", ";", "49", "h", "l", "m", "P", "\\", "\u{7}", "c", "(", "$", "q", "日", "x",
    ]
    for _ in 0..<2_000 {
      let text = (0..<40).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
      var session = OutputFilter()
      var viewer = OutputFilter()
      let once = session.filter(Array(text.utf8))
      #expect(viewer.filter(once.shown).shown == once.shown, "\(text.debugDescription)")
    }
  }

  @Test func largeNumbersAreClamped() {
    #expect(filter("\u{1B}[99999999999999999999B").shown == "\u{1B}[9999B")
    #expect(filter("\u{1B}[" + String(repeating: "1", count: 500) + "Bx").shown == "x")
    #expect(filter("x\u{1B}[99999999999b").shown.count == 1 + Limits.shellColumns)
  }

  @Test(arguments: [0, 1]) func sequencesAndTheirTextsAreSoLong(_ more: Int) {
    let parameter = String(repeating: "1", count: Limits.shellSequence + more)
    #expect(filter("\u{1B}[\(parameter)Bx").shown == (more == 0 ? "\u{1B}[9999Bx" : "x"))
    func title(_ text: String) -> String? {
      var filter = OutputFilter()
      return filter.filter(Array("\u{1B}]2;\(text)\u{7}".utf8)).title
    }
    // Blanks at the end of a title count, and are not shown.
    let long = "t" + String(repeating: " ", count: Limits.shellText - "2;t".utf8.count + more)
    #expect((title(long) != nil) == (more == 0))
    let name = String(repeating: "x", count: Limits.shellName)
    #expect(title(name) == name)
    #expect(title(name + "x") != name + "x")
    #expect(title(name + "x")?.utf8.count ?? 0 <= Limits.shellName)
  }

  /// A text that is too long is skipped, and ends where a short one would have ended: the output behind it is shown.
  @Test(arguments: [
    // Copies, pictures and titles; an OSC ends at BEL too. The other sequences with a text end at ST alone.
    ("\u{1B}]52;c;", "\u{7}"), ("\u{1B}]1337;File=inline=1:", "\u{7}"), ("\u{1B}]2;", "\u{7}"),
    ("\u{1B}]52;c;", "\u{1B}\\"), ("\u{1B}P1;1|", "\u{1B}\\"), ("\u{1B}P1;1|\u{7}", "\u{1B}\\"),
    ("\u{1B}_G", "\u{7}\u{1B}\\"), ("\u{1B}^", "\u{1B}\\"), ("\u{1B}X", "\u{1B}\\"),
    ("\u{1B}]52;c;", "\u{18}"), ("\u{1B}_G", "\u{1A}"), ("\u{1B}]52;c;", "\u{1B}[m\u{1B}]2;\u{7}"),
    ("\u{1B}[", "m"), ("\u{1B}[?", "h"),
  ])
  func howeverLongATextIsItsEndIsFound(_ begin: String, _ end: String) {
    let short = filter("a" + begin + "1" + end + "b")
    for length in [Limits.shellText - 1, Limits.shellText, Limits.shellText + 1, 1_000_000] {
      let long = filter("a" + begin + String(repeating: "1", count: length) + end + "b\r\n")
      for (long, short) in [(long.shown, short.shown), (long.screen, short.screen)] {
        #expect(long.hasPrefix("a") && long.hasSuffix("b\r\n"), "\(begin.debugDescription) \(length)")
        #expect(short.hasSuffix("b"))
      }
    }
  }

  @Test func repeatingHasABound() {
    var filter = OutputFilter()
    let passed = filter.filter(Array(String(repeating: "x\u{1B}[1000b", count: 2_000).utf8))
    #expect(passed.shown.count == Limits.shellRepeats + 2_000)
    #expect(filter.filter(Array("\u{1B}[3b".utf8)).shown == Array("xxx".utf8))
  }

  @Test func modesAreKept() {
    var filter = OutputFilter()
    let text =
      "\u{1B}[?2004h\u{1B}[?1000h\u{1B}[?1002h\u{1B}[?1006h\u{1B}[?1h\u{1B}=\u{1B}[3;9r\u{1B}[5 q\u{1B}(0\u{0E}\u{1B}[?47h"
    _ = filter.filter(Array(text.utf8))
    let bytes = String(decoding: filter.modes.bytes, as: UTF8.self)
    for part in ["[?2004h", "[?1002h", "[?1006h", "[?1h", "\u{1B}=", "[5 q"] {
      #expect(bytes.contains(part))
    }
    #expect(!bytes.contains("[?1000h"))
    #expect(filter.modes.isAlternate)
    #expect(filter.filter(Array("\u{1B}[?1049l".utf8)).leftAlternate)
    // A terminal that is reset in a session keeps what stood on it before.
    let reset = filter.filter(Array("\u{1B}c".utf8))
    #expect(filter.modes == TerminalModes())
    #expect(!String(decoding: reset.shown, as: UTF8.self).contains("\u{1B}c"))
    #expect(reset.leftAlternate)
  }
}
