import SegueBus
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
      Completion.word(for: Device(["id": .string("wq3x-n5ab-7k2a"), "name": .string(name)]))
    }
    #expect(["kitchen", "Ann's laptop", "", "a:b"].map(word) == ["kitchen", "wq3x-n5ab", "wq3x-n5ab", "wq3x-n5ab"])
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
    let offer = Offering([
      "id": .string("3f2a91c0"), "title": .string("a\u{1b}[2J\nb\u{202E}c"), "app-id": .string("org.x\n"),
    ])
    #expect(offer.title == "a[2J bc")
    let change = Change.item(.offer, .new, ["id": .string("3f2a91c0"), "title": .string("x\ndevice y online")])
    #expect(!change.text.contains("\n"))
    let failure = CommandFailure(.failed, .init(.system, "a\nb\u{1b}", advice: "c\nd"))
    #expect(failure.text == "segue: a b\n  c d")
  }

  @Test func `an offer without a title has the application's name, and says where it goes on`() {
    var dictionary: BusDictionary = ["app-id": .string("org.example.Editor"), "web-host": .string("example.com")]
    #expect(Offering(dictionary).title == "org.example.Editor")
    #expect(Offering(dictionary).place == "org.example.Editor (not installed)")
    dictionary["app-name"] = .string("Editor")
    dictionary["local-app"] = .string("org.example.Editor")
    #expect(Offering(dictionary).title == "Editor")
    #expect(Offering(dictionary).place == "Editor")
  }

  @Test func `identity prints the command that device add takes`() {
    let status = DaemonStatus([
      "device-id": .string("wq3x-n5ab"), "device-name": .string("Ann's laptop"),
      "addresses": .strings(["192.0.2.1:4711"]),
    ])
    #expect(
      IdentityCommand.text(status).split(separator: "\n").last
        == "segue device add wq3x-n5ab 192.0.2.1:4711 --name 'Ann'\\''s laptop'")
  }
}
