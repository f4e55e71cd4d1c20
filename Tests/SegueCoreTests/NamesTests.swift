import SegueCore
import Testing

@Suite struct NamesTests {
  @Test(arguments: [
    ("com.example.Reader", true), ("com.example", true), ("example", false), ("", false), (".a.b", false),
    ("a..b", false), ("a.b.", false), ("1a.b", false), ("a.1b", false), ("a.b/c", false), ("a.b\u{0}", false),
    ("a.é", false), ("com.ex-ample.R_1", true), (":1.2", false),
  ])
  func appID(_ string: String, _ accepted: Bool) {
    #expect((AppID(string) != nil) == accepted)
  }

  @Test func appIDLeavesRoomForTheSubName() {
    let longest = "a." + String(repeating: "b", count: Limits.nameLength - 2 - AppID.segueSuffix.utf8.count)
    #expect(AppID(longest)?.segueName.string.utf8.count == Limits.nameLength)
    #expect(AppID(longest + "b") == nil)
  }

  @Test(arguments: [
    ("com.example.reading", true), ("1.2", true), ("com.9lives", true), ("a", false), ("a..b", false), (".a", false),
    ("a.", false), ("a b.c", false), ("", false), ("a.-", true),
  ])
  func C1_activityType(_ string: String, _ accepted: Bool) {
    #expect((ActivityType(string) != nil) == accepted)
  }

  @Test(arguments: [
    ("/", true), ("/a", true), ("/a/b_1", true), ("", false), ("a", false), ("/a/", false), ("//", false),
    ("/a-b", false), ("/é", false),
  ])
  func objectPath(_ string: String, _ accepted: Bool) {
    #expect((ObjectPath(string) != nil) == accepted)
  }

  @Test func objectPathOfAnAppID() throws {
    let id = try #require(AppID("com.ex-ample.Reader"))
    #expect(ObjectPath(for: id).string == "/com/ex_ample/Reader")
  }

  @Test(arguments: [("a.b", true), ("a", false), ("a.1", false), ("a-b.c", false)])
  func interfaceName(_ string: String, _ accepted: Bool) {
    #expect((InterfaceName(string) != nil) == accepted)
  }

  @Test(arguments: [("Save", true), ("a.b", false), ("1a", false), ("", false)])
  func memberName(_ string: String, _ accepted: Bool) {
    #expect((MemberName(string) != nil) == accepted)
  }

  /// Strings that a peer or a program may send in place of a name. libdbus would end the process for most of them.
  @Test(arguments: [
    "../com.example.Reader", "com/example/Reader", "com.example.Reader\n", "com.example.R\u{0}", "com.example.\u{202e}",
    "com.example.R\u{e9}ader", "-.-.", "com..example", " com.example.Reader", "/", "//", "com.example.Reader/",
    "a." + String(repeating: "b", count: Limits.nameLength - 1),
  ])
  func attack26_whatIsNoName(_ string: String) {
    #expect(AppID(string) == nil)
    #expect(ActivityType(string) == nil)
    #expect(InterfaceName(string) == nil)
    #expect(MemberName(string) == nil)
    #expect(BusName(string) == nil)
    if string != "/" { #expect(ObjectPath(string) == nil) }
  }

  /// A name may begin with a digit where D-Bus lets it.
  @Test func attack26_leadingDigits() {
    for string in ["1com.example.Reader", "com.1example.Reader"] {
      #expect(AppID(string) == nil)
      #expect(InterfaceName(string) == nil)
      #expect(ActivityType(string) != nil)
    }
  }

  @Test func identifierRoundTrip() throws {
    let id = Identifier.random()
    #expect(Identifier(hex: id.hex) == id)
    #expect(Identifier(bytes: id.bytes) == id)
    #expect(Identifier(hex: "0") == nil)
    #expect(Identifier(hex: String(repeating: "0", count: 34)) == nil)
    #expect(Identifier(hex: String(repeating: "G", count: 32)) == nil)
  }

  @Test func anIdIsReadAsAPersonWritesIt() {
    let id = Identifier(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)
    for text in [
      id.hex, id.hex.uppercased(), "01234567-89ab-cdef-fedc-ba9876543210", "01234567-89AB-CDEF-FEDC-BA9876543210",
    ] {
      #expect(Identifier(text: text) == id)
    }
    for text in [
      "", "0", String(id.hex.dropLast()), id.hex + "0", "01234567-89abcdef-fedc-ba9876543210-",
      "0123456-789ab-cdef-fedc-ba9876543210", "{01234567-89ab-cdef-fedc-ba987654321}",
      "01234567-89ab-cdef-fedc-ba98765432g0", "01234567-89ab-cdef-fedc-ba98765432\u{e9}", "----" + id.hex,
      "01234567_89ab_cdef_fedc_ba9876543210",
    ] {
      #expect(Identifier(text: text) == nil)
    }
  }
}
