import SegueCore
import Testing

@Suite struct KeyFileTests {
  static let desktop = """
    # A comment
    [Desktop Entry]
    Type=Application
    Name=Reader
    Name[de]=Leser
    Name[de_AT]=Leserl
    Name[sr@latin]=Citalac
    Name[sr_YU]=Yu
    Comment = spaced out \

    MimeType=text/plain;text/html;
    Keywords=a\\;b;\\sc;;d
    Escapes=\\s\\n\\t\\r\\\\x
    NoDisplay=false
    X-Segue-ActivityTypes=com.example.reading;com.example.writing
    Exec=reader %U

    [Desktop Action new]
    Name=New = fresh
    Negative=-42
    """

  private func parse(_ text: String, _ mode: KeyFile.Mode = .strict) throws(SegueError) -> KeyFile {
    try KeyFile(Array(text.utf8), mode: mode)
  }

  @Test func values() throws {
    let file = try parse(Self.desktop)
    #expect(file.groups == ["Desktop Entry", "Desktop Action new"])
    #expect(file.keys("Desktop Action new") == ["Name", "Negative"])
    #expect(file.keys("none") == [])
    let entry = "Desktop Entry"
    #expect(try file.string(entry, "Name") == "Reader")
    #expect(try file.string(entry, "Comment") == "spaced out ")
    #expect(try file.string(entry, "Escapes") == " \n\t\r\\x")
    #expect(try file.string(entry, "none") == nil)
    #expect(try file.string("none", "Name") == nil)
    #expect(try file.string("Desktop Action new", "Name") == "New = fresh")
    #expect(try file.list(entry, "MimeType") == ["text/plain", "text/html"])
    #expect(try file.list(entry, "Keywords") == ["a;b", " c", "", "d"])
    #expect(try file.list(entry, "X-Segue-ActivityTypes") == ["com.example.reading", "com.example.writing"])
    #expect(try file.list(entry, "none") == nil)
    #expect(try file.bool(entry, "NoDisplay") == false)
    #expect(try file.bool(entry, "none") == nil)
    #expect(try file.integer("Desktop Action new", "Negative") == -42)
    #expect(try file.integer(entry, "none") == nil)
  }

  @Test(arguments: [
    (["de_DE.UTF-8@euro"], "Leser"), (["de_AT"], "Leserl"), (["de"], "Leser"), (["fr", "de_CH"], "Leser"),
    (["sr_YU@latin"], "Yu"), (["sr_RS.UTF-8@latin"], "Citalac"), (["sr"], "Reader"), (["fr"], "Reader"), ([], "Reader"),
    ([""], "Reader"), (["@"], "Reader"), (["_.@"], "Reader"), (["C"], "Reader"),
  ])
  func localized(_ locales: [String], _ expected: String) throws {
    #expect(try parse(Self.desktop).localized("Desktop Entry", "Name", locales: locales) == expected)
  }

  static let bad: [(String, Int, String)] = [
    ("[a]\nb=1\nnonsense", 3, "neither"), ("b=1", 1, "before any group"), ("# x\n\n[a\n", 3, "group's name"),
    ("[]", 1, "group's name"), ("[a]b]", 1, "group's name"), ("[a[b]", 1, "group's name"), ("[é]", 1, "group's name"),
    ("[a]\n=1", 2, "not a key"), ("[a]\nb c=1", 2, "not a key"), ("[a]\né=1", 2, "not a key"),
    ("[a]\nb[=1", 2, "not a key"), ("[a]\nb[]=1", 2, "not a key"), ("[a]\nb[de=1", 2, "not a key"),
    ("[a]\nb[de]c=1", 2, "not a key"), ("[a]\nb[d[e]=1", 2, "not a key"), ("[a]\n[de]=1", 2, "group's name"),
    ("[a]\nb=1\nb=2", 3, "twice, first in line 2"), ("[a]\nb[x]=1\n\nb[x]=2", 4, "twice, first in line 2"),
    ("[a]\n[b]\n[a]", 3, "twice"), ("[a]\nb=\u{0}", 2, "UTF-8"), ("[a]\nb=\u{1}", 2, "control"),
    ("[a]\r\nb=1", 1, "control"), ("[a]\n b=1", 2, "not a key"), ("\u{FEFF}[a]", 1, "neither"),
  ]

  @Test(arguments: bad)
  func malformed(_ text: String, _ line: Int, _ why: String) {
    let error = #expect(throws: SegueError.self) { try parse(text) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.hasPrefix("Line \(line): ") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains(why) == true, "\(error?.message ?? "")")
  }

  @Test func invalidUTF8() {
    let error = #expect(throws: SegueError.self) { try KeyFile(Array("[a]\nb=".utf8) + [0xFF]) }
    #expect(error?.message.hasPrefix("Line 2: ") == true)
    #expect(throws: SegueError.self) { try KeyFile(Array("# ".utf8) + [0xC3]) }
    #expect(throws: SegueError.self) { try KeyFile(Array("[a]\nb=".utf8) + [0xC3], mode: .lenient) }
  }

  @Test func W5_commentsAndOtherLanguagesMayBeInAnotherEncoding() throws {
    var bytes = Array("# h".utf8) + [0xE9, 0x0A]
    bytes += Array("[a]\nName[fr]=".utf8) + [0xE9]
    bytes += Array("\nName=b\n".utf8)
    let file = try KeyFile(bytes, mode: .lenient)
    #expect(file.keys("a") == ["Name"])
    #expect(try KeyFile(bytes, keeping: .init(group: "a", keys: ["Name", "Name[fr]"])) == file)
    #expect(throws: SegueError.self) { try KeyFile(Array("[a]\nName[fr]=\0".utf8), mode: .lenient) }
  }

  @Test func aGroupHasTheLineInWhichItBegins() throws {
    let file = try parse("# a\r\n[a]\r\nb=1\r\n\r\n [x] \r\n[a]\r\n", .lenient)
    #expect((file.line("a"), file.line("x"), file.line("y")) == (2, 5, nil))
  }

  @Test func lenientTakesTheLastAndJoinsGroups() throws {
    let file = try parse("[a]\r\nb=1\r\n  c d = 2\r\n[x] \r\n[a]\r\nb=3\r\nExec[$e]=4\r\n", .lenient)
    #expect(file.groups == ["a", "x"])
    #expect(file.keys("a") == ["b", "c d", "Exec[$e]"])
    #expect(try file.string("a", "b") == "3")
    #expect(try file.string("a", "c d") == "2")
    #expect(try parse(file.text, .lenient) == file)
  }

  @Test func lenientStillRefusesWhatIsNoLine() {
    #expect(throws: SegueError.self) { try parse("[a]\nnonsense", .lenient) }
    #expect(throws: SegueError.self) { try parse("b=1", .lenient) }
  }

  @Test func aKeyThatRepeatsHasSeveralValues() throws {
    let many = (0..<40).map { "b=\($0)\n" }.joined()
    for text in ["[a]\nb=1\nc=2\nb=\\s3\n", "[a]\n" + many] {
      let file = try parse(text, .repeating)
      #expect(try file.strings("a", "b") == (text.contains("c=") ? ["1", " 3"] : (0..<40).map { "\($0)" }))
      #expect(file.text == text)
      #expect(throws: SegueError.self) { try parse(text) }
      var copy = file
      try copy.add("a", "b", "x;")
      #expect(try parse(copy.text, .repeating).strings("a", "b").last == "x;")
    }
    #expect(try parse("[a]\nb=1", .repeating).strings("a", "c") == [])
    // In all else it is strict.
    for text in ["[a]\nb=1\n[a]\n", "[a]\r\n", " [a]\n", "[a]\nb c=1\n", "[a]\nb=\u{1}\n"] {
      #expect(throws: SegueError.self, "\(text)") { try parse(text, .repeating) }
    }
  }

  @Test func valuesOfAnotherTypeSayWhere() throws {
    let file = try parse("[a]\nbool=yes\nint=1x\nempty=\nbig=9223372036854775808\nbad=\\x\nend=a\\\nsemi=\\;\nplus=+1")
    func message<T>(_ body: () throws(SegueError) -> T) -> String? {
      do throws(SegueError) {
        _ = try body()
        return nil
      } catch {
        return error.message
      }
    }
    #expect(message { () throws(SegueError) in try file.bool("a", "bool") } == "Line 2: bool is neither true nor false")
    #expect(message { () throws(SegueError) in try file.integer("a", "int") } == "Line 3: int is not an integer")
    #expect(message { () throws(SegueError) in try file.integer("a", "empty") } == "Line 4: empty is not an integer")
    #expect(message { () throws(SegueError) in try file.integer("a", "big") } == "Line 5: big is beyond 64 bits")
    #expect(message { () throws(SegueError) in try file.string("a", "bad") } == "Line 6: bad has an unknown escape")
    #expect(message { () throws(SegueError) in try file.list("a", "bad") } == "Line 6: bad has an unknown escape")
    #expect(message { () throws(SegueError) in try file.string("a", "end") } == "Line 7: end ends in a backslash")
    #expect(message { () throws(SegueError) in try file.list("a", "end") } == "Line 7: end ends in a backslash")
    #expect(message { () throws(SegueError) in try file.string("a", "semi") } == "Line 8: semi has an unknown escape")
    #expect(message { () throws(SegueError) in try file.integer("a", "plus") } == "Line 9: plus is not an integer")
    #expect(try file.list("a", "empty") == [])
    #expect(try file.string("a", "empty") == "")
  }

  @Test(arguments: [Int64.min, -1, 0, 1, .max])
  func integers(_ value: Int64) throws {
    var file = KeyFile()
    try file.set("a", "b", to: value)
    #expect(try parse(file.text).integer("a", "b") == value)
  }

  @Test(arguments: [
    "", " ", "  a  ", "a;b", "\\", "\\;", "\\s", "\n\r\t", "é\u{301}", "=", "[x]", "#", "a\\nb", ";", "\t a",
  ])
  func strings(_ string: String) throws {
    var file = KeyFile()
    try file.set("g", "string", to: string)
    try file.set("g", "string", locale: "de_DE", to: string)
    try file.set("g", "list", to: [string, "x", string])
    try file.set("g", "none", to: [])
    try file.set("g", "flag", to: true)
    let again = try parse(file.text)
    #expect(again == file)
    #expect(try again.string("g", "string") == string)
    #expect(try again.localized("g", "string", locales: ["de_DE"]) == string)
    #expect(try again.list("g", "list") == [string, "x", string])
    #expect(try again.list("g", "none") == [])
    #expect(try again.bool("g", "flag") == true)
  }

  @Test func textRoundTrips() throws {
    let file = try parse(Self.desktop)
    #expect(try parse(file.text) == file)
    #expect(KeyFile().text == "")
    #expect(try parse("") == KeyFile())
    var changed = file
    try changed.set("Desktop Entry", "Name", to: "Other")
    #expect(changed != file)
    #expect(changed.keys("Desktop Entry") == file.keys("Desktop Entry"))
  }

  @Test(arguments: [
    ("", "k", "v"), ("a]", "k", "v"), ("a\n", "k", "v"), ("a", "", "v"), ("a", "k=", "v"), ("a", "k\n", "v"),
    ("a", "k[", "v"), ("a", "k", "\u{0}"), ("a", "k", "\u{1B}"),
  ])
  func unwritable(_ group: String, _ key: String, _ value: String) {
    var file = KeyFile()
    #expect(throws: SegueError.self) { try file.set(group, key, to: value) }
    #expect(file == KeyFile())
  }

  @Test func lengthIsBounded() throws {
    let start = Array("[a]\n#".utf8)
    let longest = start + [UInt8](repeating: 0x78, count: Limits.fileLength - start.count)
    #expect(try KeyFile(longest).groups == ["a"])
    let error = #expect(throws: SegueError.self) { try KeyFile(longest + [0x78]) }
    #expect(error?.code == .limitExceeded)
  }

  @Test func manyKeysTakeNoLongTime() throws {
    let text = "[a]\n" + (0..<20_000).map { "k\($0)=1\n" }.joined()
    #expect(try parse(text).keys("a").count == 20_000)
    let groups = (0..<15_000).map { "[g\($0)]\nk=1\n" }.joined()
    #expect(try parse(groups).string("g14999", "k") == "1")
  }

  /// Few names are looked for in another way than many.
  @Test(arguments: [1, 2, 15, 16, 17, 18, 40]) func eachOfSomeNamesIsFoundAndNoneIsThereTwice(_ count: Int) throws {
    let numbers = 0..<count
    let groups = numbers.map { group in "[g\(group)]\n" + numbers.map { "k\($0)=\(group)\n" }.joined() }
    let file = try parse(groups.joined())
    #expect(file.groups == numbers.map { "g\($0)" })
    var changed = file
    for group in numbers {
      #expect(file.keys("g\(group)") == numbers.map { "k\($0)" })
      for key in numbers {
        #expect(try file.string("g\(group)", "k\(key)") == "\(group)")
        try changed.set("g\(group)", "k\(key)", to: "new")
      }
      #expect(try file.string("g\(group)", "k\(count)") == nil)
      let twice = "[g]\n" + numbers.map { "k\($0)=1\n" }.joined() + "k\(group)=2\n"
      #expect(throws: SegueError.self) { try parse(twice) }
      #expect(try parse(twice, .lenient).keys("g").count == count)
      #expect(try parse(twice, .lenient).string("g", "k\(group)") == "2")
      #expect(throws: SegueError.self) { try parse(file.text + "[g\(group)]\n") }
    }
    #expect(changed.groups == file.groups && changed != file)
  }

  @Test func onlyWhatIsSelectedIsKept() throws {
    let selection = KeyFile.Selection(group: "Desktop Entry", keys: ["Name", "Name[de]", "Negative", "none"])
    let file = try KeyFile(Array((Self.desktop + "\n[Desktop Entry]\nName=Last\n").utf8), keeping: selection)
    #expect(file.groups == ["Desktop Entry"])
    #expect(file.keys("Desktop Entry") == ["Name", "Name[de]"])
    #expect(try file.string("Desktop Entry", "Name") == "Last")
    #expect(try file.localized("Desktop Entry", "Name", locales: ["de_AT"]) == "Leser")
    #expect(try file.string("Desktop Entry", firstOf: ["none", "Name[de]", "Name"]) == "Leser")
    #expect(file.has("Desktop Entry", "Name[de]") && !file.has("Desktop Entry", "none"))
    #expect(try KeyFile(Array("[x]\nName=1\n".utf8), keeping: selection).groups == [])
  }

  /// The rest of the file is held to as much, and what is kept is as it would be.
  @Test func aSelectionRefusesWhatIsRefusedWithoutOne() {
    var generator = CBORHostileTests.Generator(state: 9)
    let lines = [
      "[a]", "[b]", " [a] ", "a=1", "b = 2", "a[b]=3", " a\t=4", "b=", "#a=5", "", "c=6", "a[b=7", "=", "a=\u{E9}",
      "\0",
    ]
    let selection = KeyFile.Selection(group: "a", keys: ["a", "b", "a[b]"])
    var kept = 0
    for _ in 0..<5000 {
      let some = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
        lines[Int.random(in: lines.indices, using: &generator)]
      }
      let bytes = Array((["[a]"] + some).joined(separator: Bool.random(using: &generator) ? "\n" : "\r\n").utf8)
      let all = try? KeyFile(bytes, mode: .lenient)
      let selected = try? KeyFile(bytes, keeping: selection)
      if (all == nil) != (selected == nil) { Issue.record("\(bytes.hex)") }
      for key in ["a", "b", "a[b]"] {
        let value = all?.raw("a").first { $0.key == key }?.value
        if value != selected?.raw("a").first(where: { $0.key == key })?.value { Issue.record("\(bytes.hex) \(key)") }
        if value != nil { kept += 1 }
      }
    }
    #expect(kept > 1000)
  }

  @Test func randomBytesAreNoTrap() {
    var generator = CBORHostileTests.Generator(state: 8)
    let alphabet = Array("[]=#;\\snab de\n\n\r\u{E9}@_.".utf8)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
        alphabet[Int.random(in: alphabet.indices, using: &generator)]
      }
      for mode in [KeyFile.Mode.strict, .lenient, .repeating] {
        guard let file = try? KeyFile(Array("[a]\n".utf8) + bytes, mode: mode) else { continue }
        for group in file.groups {
          for key in file.keys(group) {
            _ = try? file.list(group, key)
            _ = try? file.string(group, key)
            _ = try? file.integer(group, key)
          }
        }
        if (try? KeyFile(Array(file.text.utf8), mode: mode)) != file { Issue.record("\(bytes.hex) \(mode)") }
      }
    }
  }
}
