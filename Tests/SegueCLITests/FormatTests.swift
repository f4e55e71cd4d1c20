import SegueControl
import SegueCore
import Testing

@testable import segue

@Suite struct FormatTests {
  @Test func `columns align, wide characters too, and no line ends in spaces`() {
    var table = Table(["ID", "TITLE", "AGE"])
    table.add(["3f2a91c0", "日本", "1 s"])
    table.add(["81be02aa", "naïve", ""])
    #expect(
      table.lines == [
        "ID        TITLE  AGE",
        "3f2a91c0  日本   1 s",
        "81be02aa  naïve",
      ])
  }

  @Test func `a table fits the screen, and its ids stay whole`() {
    var table = Table(["ID", "TITLE", "APPLICATION"])
    table.add(["3f2a91c0", "A title that is far too long for this screen", "org.example.Editor (not installed)"])
    table.add(["81be02aa", "日本語の長い題名がここにある", "Editor"])
    let lines = table.lines(fitting: 48)
    #expect(
      lines == [
        "ID        TITLE               APPLICATION",
        "3f2a91c0  A title that is f…  org.example.Edito…",
        "81be02aa  日本語の長い題名…   Editor",
      ])
    #expect(lines.allSatisfy { DisplayWidth.of($0) <= 48 })
    #expect(table.lines(fitting: 400) == table.lines)
    // No screen is so small that nothing is left.
    #expect(table.lines(fitting: 1)[1] == "3f2a91c0  A title tha…  org.example…")
    #expect(Table(nil).lines(fitting: 10) == [])
  }

  @Test func `a device completes by its name where that is a word`() {
    func word(_ name: String) -> String {
      var row = DeviceRow()
      (row.id, row.name) = ("wq3x-n5ab-7k2a", name)
      return ShellCompletion.word(for: Device(row))
    }
    #expect(["kitchen", "Ann's laptop", "", "a:b"].map(word) == ["kitchen", "wq3x-n5ab", "wq3x-n5ab", "wq3x-n5ab"])
  }

  @Test func `a device tells when it was there`() {
    var row = DeviceRow()
    (row.id, row.name, row.addresses) = ("wq3x-n5ab-7k2a", "kitchen", ["192.0.2.7:1", "[fe80::7%eth0]:1"])
    (row.words, row.reached, row.reachedUs, row.seen) = ("lusab-babad", "[fe80::7%eth0]:1", 1_000, 4_600)
    #expect(
      DevicesCommand.text([Device(row)], now: 4_660) == """
        wq3x-n5ab  kitchen  offline, last seen 1 min ago
          words             lusab-babad
          dialled at        192.0.2.7:1 [fe80::7%eth0]:1
          reached at        [fe80::7%eth0]:1
          reached this one  1 h ago
        """)
    // The clock was set back.
    #expect(Device(row).state(at: 0) == "offline, last seen 0 s ago")
    (row.seen, row.reachedUs) = (nil, .max)
    #expect(Device(row).state(at: 0) == "offline, never seen" && Device(row).reachedUs(at: 0) == "0 s ago")
  }

  @Test(arguments: [("", 0), ("abc", 3), ("e\u{301}", 1), ("日", 2), ("🎉", 2), ("ｆ", 2), ("한", 2)])
  func `a character is as wide as a terminal shows it`(text: String, width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }

  @Test(
    arguments: [
      (0, "0 s"), (59_999, "59 s"), (60_000, "1 min"), (3_600_000, "1 h"), (86_400_000 * 3, "3 d"),
      (UInt64.max, "213503982334 d"),
    ] as [(UInt64, String)])
  func `an age has one unit`(age: UInt64, text: String) {
    #expect(Age.text(age) == text)
  }

  @Test(arguments: [
    ("kitchen", "kitchen"), ("", "''"), ("my laptop", "'my laptop'"), ("it's", "'it'\\''s'"), ("$(rm)", "'$(rm)'"),
    ("[2001:db8::1]:4711", "'[2001:db8::1]:4711'"), ("192.0.2.1:4711", "192.0.2.1:4711"), ("~", "'~'"),
  ])
  func `a word survives a shell`(word: String, quoted: String) {
    #expect(ShellText.quote(word) == quoted)
  }

  @Test(arguments: [
    ("0123456789abcdef", "01234567"), ("wq3x-n5ab-7k2a", "wq3x-n5ab"), ("abc", "abc"), ("", ""),
    ("abcdefgh-", "abcdefgh"),
  ])
  func `an id is shortened to eight digits`(id: String, short: String) {
    #expect(Device.shorten(id) == short)
  }

  @Test func `text of other devices cannot leave its line`() {
    var row = OfferRow()
    (row.id, row.title, row.appID) = ("3f2a91c0", "a\u{1b}[2J\nb\u{202E}c", "org.x\n")
    #expect(ShownOffer(row).title == "a[2J bc")
    row.title = "x\ndevice y online"
    #expect(!Change.offer(.new, row).text.contains("\n"))
    let failure = CommandFailure(.failed, .init(.system, "a\nb\u{1b}", advice: "c\nd"))
    #expect(failure.text == "segue: a b\n  c d")
  }

  @Test func attack35_aTitleAndANameCloseNoQuotation() {
    var row = ExplanationRow()
    (row.id, row.type, row.appID) = ("3f2a91c0", "org.example.editing", "org.example.Editor")
    (row.title, row.from, row.sentence) = ("A\", safe \u{201D}", "desk\" of yours", "It is.")
    #expect(
      ExplainCommand.text([row])
        == "3f2a91c0  \"A', safe '\", org.example.editing of org.example.Editor on \"desk' of yours\"\n  It is.")
    var device = DeviceRow()
    (device.id, device.name) = ("wq3x-n5ab-7k2a", "desk\" (beef-n5ab) and \u{201C}lap")
    #expect(Device(device).label == "\"desk' (beef-n5ab) and 'lap\" (wq3x-n5ab)")
    var last = LastContinuation()
    (last.type, last.deviceName, last.appName) = ("org.example.editing", device.name, "Editor")
    let text = LastCommand.text(last, timing: false)
    #expect(text.hasPrefix("org.example.editing from \"desk' (beef-n5ab) and 'lap\", in Editor"))
  }

  @Test func `an offer without a title has the application's name, and says where it goes on`() {
    var row = OfferRow()
    (row.appID, row.webHost) = ("org.example.Editor", "example.com")
    #expect(ShownOffer(row).title == "org.example.Editor")
    #expect(ShownOffer(row).place == "org.example.Editor (not installed)")
    (row.appName, row.localApp) = ("Editor", "org.example.Editor")
    #expect(ShownOffer(row).title == "Editor")
    #expect(ShownOffer(row).place == "Editor")
  }

  @Test func `what is about a file that is not here says so below the list`() {
    var row = OfferRow()
    (row.id, row.title, row.appID) = ("3f2a91c0aaaa", "Book", "org.example.Reader")
    #expect(!ActivitiesCommand.text(offers: [ShownOffer(row)], activities: []).contains("\n\n"))
    (row.file, row.fileSentence) = ("elsewhere", "Its file is on a\u{1b}b.")
    #expect(
      ActivitiesCommand.text(offers: [ShownOffer(row)], activities: []).hasSuffix("\n\n3f2a91c0: Its file is on ab."))
  }

  @Test func `identity prints the command that device add takes`() {
    var identity = DeviceIdentity()
    (identity.deviceID, identity.deviceName) = ("wq3x-n5ab", "Ann's laptop")
    identity.addresses = ["192.0.2.1:4711"]
    #expect(
      IdentityCommand.text(identity).split(separator: "\n").last
        == "segue device add wq3x-n5ab 192.0.2.1:4711 --name 'Ann'\\''s laptop'")
  }

  @Test func cellsAreSoLong() {
    let longest = String(repeating: "x", count: Limits.titleAdvised)
    var table = Table()
    table.add([longest])
    table.add([longest + "y"])
    #expect(table.lines.first == longest)
    #expect(table.lines.last?.hasSuffix("y") == false)
    #expect(table.lines.last?.utf8.count ?? 0 <= Limits.titleAdvised)
  }
}
