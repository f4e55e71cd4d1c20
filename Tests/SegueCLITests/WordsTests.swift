import SegueCore
import Testing

@testable import segue

/// The command line's dealings with words: mistyped commands, narrow screens, hosts without ports, a code as a picture.
@Suite struct WordsTests {
  @Test(arguments: [
    (["stauts"], "status"), (["device", "ad"], "add"), (["devics"], "devices, or device"),
    (["activites"], "activities"),
    (["explian", "3f2a"], "explain"), (["help", "pairs"], "pair"), (["intro"], "introduce, or introductions"),
  ]) func `a mistyped command has a guess`(_ arguments: [String], _ guess: String) throws {
    let problem = try #require(CommandWords.problem(in: arguments))
    #expect(problem.hasSuffix("Did you mean \(guess)?"))
  }

  @Test(arguments: [
    ["status"], ["--help"], ["help"], ["help", "device", "add"], ["device", "--help"], ["continue", "stauts"], [],
    ["---completion", "continue"],
  ]) func `what is no mistake has none`(_ arguments: [String]) {
    #expect(CommandWords.problem(in: arguments) == nil)
  }

  @Test func `what is like no command gets the list`() throws {
    #expect(CommandWords.problem(in: ["xyzzy"]) == "There is no command xyzzy. `segue --help` lists them.")
    let long = String(repeating: "a", count: 100_000)
    #expect(try #require(CommandWords.problem(in: [long])).utf8.count < 1_000)
    #expect(CommandWords.problem(in: [""]) != nil)
  }

  @Test func `words are not broken on a narrow screen`() {
    let line = "discovery     Avahi does not run, so that devices in one network do not find each other."
    let wrapped = WordWrap.wrapped(line, to: 40)
    #expect(
      wrapped == """
        discovery     Avahi does not run, so
                      that devices in one
                      network do not find each
                      other.
        """)
    let words = { (text: String) in text.split { $0 == " " || $0 == "\n" } }
    for width in 1...120 {
      let wrapped = WordWrap.wrapped("segue: It failed.\n  " + line, to: width)
      #expect(words(wrapped) == words("segue: It failed. " + line))
      let isFitting = wrapped.split(separator: "\n").allSatisfy { line in
        DisplayWidth.of(String(line)) <= width || line.split(separator: " ").count == 1
      }
      #expect(isFitting)
    }
    // A command to be copied is one line, and a text that fits is as it was.
    let command = "segue device add wq3x-n5ab-7k2a 192.0.2.1:4711 --name laptop"
    #expect(WordWrap.wrapped(command, to: 40) == command)
    #expect(WordWrap.wrapped("  a   b\n\nc", to: 40) == "  a   b\n\nc")
  }

  @Test(arguments: [
    ("192.0.2.7", "192.0.2.7:19736"), ("192.0.2.7:4711", "192.0.2.7:4711"), ("desk.local", "desk.local:19736"),
    ("2001:db8::7", "[2001:db8::7]:19736"), ("[2001:db8::7]", "[2001:db8::7]:19736"),
    ("fe80::1%eth0", "[fe80::1%eth0]:19736"), ("[2001:db8::7]:1", "[2001:db8::7]:1"), ("a b", "a b"), ("", ""),
  ]) func `a host without a port means the usual one`(_ text: String, _ address: String) {
    #expect(PairTarget.address(text) == address)
  }

  @Test func `the picture of a code fits 24 lines, in colours of its own`() throws {
    let picture = try #require(Picture("SEGUE:" + String(repeating: "A2", count: 94)))
    let text = try #require(picture.text(columns: 80, lines: 23))
    let lines = text.split(separator: "\n")
    #expect(lines.count <= 23)
    for line in lines { #expect(line.hasPrefix("\u{1b}[38;5;231;48;5;16m") && line.hasSuffix("\u{1b}[0m")) }
    #expect(picture.text(columns: 80, lines: 20) == nil && picture.text(columns: 40, lines: 60) == nil)
    // Where there is room, the border is as readers want it.
    let roomy = try #require(picture.text(columns: 200, lines: 100)?.split(separator: "\n"))
    #expect(roomy.count == lines.count + 2 && roomy[0].dropFirst(19).prefix(40).allSatisfy { $0 == "█" })
  }
}
