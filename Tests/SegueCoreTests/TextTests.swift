import SegueCore
import Testing

@Suite struct TextTests {
  /// Swift's own operations would find neither the slash with an accent on it nor the line feed behind its return.
  @Test func textOfFilesIsTakenApartByBytes() {
    #expect("/\u{301}a".begins(with: "/") && "a\r\n".ends(with: "\n") && !"e\u{301}".begins(with: "\u{E9}"))
    #expect("a/\u{301}b".pathParts?.folder == "a" && "a".pathParts == nil)
    #expect("a\r\nb\n".parts(at: "\n").map { Array($0.utf8) } == [[0x61, 0x0D], [0x62]])
    #expect("=\u{301}a=b".parts(at: "=", maxSplits: 1, omittingEmpty: false) == ["", "\u{301}a=b"])
    #expect("\u{600}.so".rest(before: ".so") == "\u{600}" && ".so".rest(before: ".soo") == nil)
    #expect("*.\u{301}".rest(after: "*.") == "\u{301}" && "\r\n".has("\n"))
    #expect(!"\u{E9}".isSame(as: "e\u{301}") && !"K".isSame(as: "\u{212A}"))
  }

  @Test func textThatDiffersByItsBytesAreSeveralKeys() {
    var map: TextMap<Int> = ["\u{E9}": 1, "e\u{301}": 2]
    #expect((map.count, map["\u{E9}"], map["e\u{301}"]) == (2, 1, 2))
    #expect(map.removeValue(forKey: "\u{E9}") == 1 && map.keys == ["e\u{301}"])
    var set = TextSet(of: ["K", "\u{212A}", "K"])
    #expect(set.count == 2 && !set.insert("K") && set.contains("\u{212A}"))
    #expect(FileURL(path: "/\u{E9}") != FileURL(path: "/e\u{301}"))
    #expect(WebURL("https://a/\u{E9}") != WebURL("https://a/e\u{301}"))
  }

  @Test(arguments: [
    ("Letter to Zoë", "Letter to Zoë"), ("", ""), ("a\nb\r\nc\td", "a b  c d"), ("a\u{2028}b\u{85}c", "a b c"),
    ("a\u{0}b\u{1B}[31mc\u{7F}\u{9B}", "ab[31mc"), ("\u{202E}gpj.exe", "gpj.exe"),
    ("\u{202A}\u{202B}\u{202C}\u{202D}", ""),
    ("\u{2066}a\u{2067}b\u{2068}c\u{2069}", "abc"), ("\u{200E}a\u{200F}b\u{61C}", "ab"), ("<b>&amp;", "<b>&amp;"),
    ("👩‍👩‍👧", "👩‍👩‍👧"), ("العربية", "العربية"), ("بی\u{200C}نام", "بی\u{200C}نام"),
    ("❤\u{FE0F}\u{200D}🔥", "❤\u{FE0F}\u{200D}🔥"),
    ("Pa\u{200B}\u{2060}\u{FEFF}\u{AD}ge", "Page"), ("a\u{E0041}\u{E007F}\u{E0100}b", "ab"),
    ("a\u{200C}\u{200D}b\u{FE0F}", "ab"), ("あ\u{200D}\u{200D}\u{FE0F}\u{200C}い", "あ\u{200D}い"),
    ("あ\n\u{200D}b", "あ b"), ("a\u{3164}\u{FFA0}\u{115F}\u{2064}\u{206F}\u{180E}\u{1D173}b", "ab"),
  ])
  func attack25_displayText(_ string: String, _ shown: String) {
    #expect(Array(DisplayText.clean(string).utf8) == Array(shown.utf8))
  }

  /// A part of what a person sees as one is another letter, flag or family.
  @Test func E1_displayTextIsCutBetweenCharacters() {
    #expect(Array(DisplayText.clean("ae\u{301}b", maximum: 2).utf8) == Array("a".utf8))
    #expect(Array(DisplayText.clean("ae\u{301}b", maximum: 4).utf8) == Array("ae\u{301}".utf8))
    #expect(DisplayText.clean("a🇩🇪", maximum: 5) == "a")
    #expect(DisplayText.clean("a👩‍👩‍👧", maximum: 12) == "a")
    #expect(DisplayText.clean("a❤\u{FE0F}", maximum: 4) == "a")
    // One alone that is longer than may be is cut all the same.
    #expect(DisplayText.clean("e" + String(repeating: "\u{301}", count: 300), maximum: 64).utf8.count == 63)
  }

  @Test func displayTextIsCutBetweenScalars() {
    #expect(DisplayText.clean("aäb", maximum: 3) == "aä")
    #expect(DisplayText.clean("aäb", maximum: 2) == "a")
    #expect(DisplayText.clean("a\u{202E}bc", maximum: 2) == "ab")
    #expect(DisplayText.clean("abc", maximum: 0) == "")
    #expect(DisplayText.clean("abc", maximum: -1) == "")
    let megabyte = String(repeating: "あ", count: 350_000)
    #expect(DisplayText.clean(megabyte).utf8.count == 510)
  }

  @Test func attack35_whatIsQuotedCannotCloseTheQuote() {
    #expect(DisplayText.quoted("a\"b\u{201D}c\u{FF02}\"\u{301}d\n") == "\"a'b'c''\u{301}d \"")
    #expect(DisplayText.quoted(String(repeating: "x", count: 1000)).utf8.count == Limits.quotedLength + 2)
  }

  static let sequences: [([UInt8], Bool)] = [
    ([], true), ([0x61], true), ([0], false), ([0x61, 0, 0x62], false), ([0x80], false), ([0xBF], false),
    ([0xC0, 0x80], false), ([0xC1, 0xBF], false), ([0xC2, 0x80], true), ([0xC2], false), ([0xC2, 0x41], false),
    ([0xDF, 0xBF], true), ([0xE0, 0x9F, 0xBF], false), ([0xE0, 0xA0, 0x80], true), ([0xE0, 0xA0], false),
    ([0xED, 0x9F, 0xBF], true), ([0xED, 0xA0, 0x80], false), ([0xEE, 0x80, 0x80], true), ([0xEF, 0xBF, 0xBF], true),
    ([0xF0, 0x8F, 0xBF, 0xBF], false), ([0xF0, 0x90, 0x80, 0x80], true), ([0xF4, 0x8F, 0xBF, 0xBF], true),
    ([0xF4, 0x90, 0x80, 0x80], false), ([0xF5, 0x80, 0x80, 0x80], false), ([0xFF], false), ([0xFE], false),
    ([0xF0, 0x90, 0x80], false), ([0xE2, 0x82, 0xAC, 0x80], false),
  ]

  @Test(arguments: sequences)
  func validUTF8(_ bytes: [UInt8], _ valid: Bool) {
    #expect(TextCheck.validUTF8(bytes) == valid)
    #expect((TextCheck.string(bytes) != nil) == valid)
  }

  @Test func validUTF8AgreesWithSwift() {
    var generator = CBORHostileTests.Generator(state: 7)
    let interesting: [UInt8] = [
      0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xE0, 0xE1, 0xED, 0xF0, 0xF1, 0xF4,
    ]
    for _ in 0..<50_000 {
      let bytes = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
        interesting[Int.random(in: interesting.indices, using: &generator)]
      }
      let valid = String(validating: bytes, as: UTF8.self) != nil
      if TextCheck.validUTF8(bytes) != valid { Issue.record("\(bytes.hex)") }
    }
  }

  /// Text is looked at eight bytes at a time: each of these sequences at each place between others.
  @Test(arguments: sequences)
  func validUTF8LooksAtEachByte(_ bytes: [UInt8], _ valid: Bool) {
    for before in 0...17 {
      for after in 0...17 {
        let text = [UInt8](repeating: 0x7F, count: before) + bytes + [UInt8](repeating: 0x01, count: after)
        #expect(TextCheck.validUTF8(text) == valid, "\(text)")
        #expect(TextCheck.validUTF8(text.lazy.map { $0 }) == valid)
        #expect(TextCheck.hasNUL(text) == text.contains(0))
        #expect((TextCheck.string(text) != nil) == valid)
      }
    }
  }

  @Test func stringsAreBounded() {
    #expect(TextCheck.string([0x61, 0x62], maximum: 2) == "ab")
    #expect(TextCheck.string([0x61, 0x62], maximum: 1) == nil)
  }

  @Test(arguments: [
    ("https://example.com", true), ("mailto:a@b", true), ("file:///tmp/a%20b", true), ("x-a+b.c1:", true), ("a:", true),
    ("", false), (":", false), ("a", false), ("1a:b", false), ("+a:b", false), ("a b:c", false),
    ("file:///tmp/a b", false),
    ("a: ", false), ("é:c", false), ("a:\n", false), ("a:\u{0}", false), ("a:\u{7F}", false), ("a:\u{85}", false),
    ("/a:b", false), ("a:é", true),
  ])
  func valueURL(_ string: String, _ accepted: Bool) {
    #expect(Value.isURL(string) == accepted)
  }

  static let webURLs: [(String, String?)] = [
    ("https://example.com", "example.com"), ("http://example.com/", "example.com"),
    ("HTTPS://Example.COM:8443/A?b=c#d", "example.com"), ("https://example.com.?q", "example.com."),
    ("https://example.com#f", "example.com"), ("https://[::1]:80/", "[::1]"), ("http://[2001:DB8::1]", "[2001:db8::1]"),
    ("https://xn--mnchen-3ya.de/", "xn--mnchen-3ya.de"), ("https://m%C3%BCnchen.de/", nil),
    ("https://example.com/a@b", "example.com"), ("https://example.com/ü", "example.com"),
    ("http://localhost", "localhost"),
    ("https://a_b.example", "a_b.example"), ("https://example.com:65535", "example.com"),
    ("", nil), ("https://", nil), ("https:///path", nil), ("https:example.com", nil), ("//example.com", nil),
    ("javascript:alert(1)", nil), ("file:///etc/passwd", nil), ("data:text/html,x", nil), ("ftp://example.com", nil),
    ("-https://example.com", nil), ("--help", nil), (" https://example.com", nil), ("https://user@example.com", nil),
    ("https://user:pw@example.com", nil), ("https://example.com@evil.org", nil),
    ("https://example.com\\@evil.org", nil),
    ("https://example.com\\evil", nil), ("https://exa mple.com", nil), ("https://example.com/a b", nil),
    ("https://example.com/\n", nil), ("https://example.com/\u{0}", nil), ("https://example.com/\u{202E}", nil),
    ("https://münchen.de", nil), ("https://example.com%2Fevil.org", nil), ("https://a%40b.com", nil),
    ("https://a%", nil),
    ("https://a%C", nil), ("https://a%CG", nil), ("https://.com", nil), ("https://a..b", nil), ("https://.", nil),
    ("https://example.com:", nil), ("https://example.com:0", nil), ("https://example.com:65536", nil),
    ("https://example.com:99999999999999999999", nil), ("https://example.com:8a", nil), ("https://[::1", nil),
    ("https://[]", nil), ("https://[::1]x", nil), ("https://[1]", nil), ("https://[::g]", nil), ("https://a]b", nil),
    ("https://a<b", nil), ("https://:80", nil),
  ]

  @Test(arguments: webURLs)
  func webURL(_ string: String, _ host: String?) {
    #expect(WebURL(string)?.host == host)
  }

  @Test func W1_aPageIsPutTogetherOfItsParts() throws {
    let page = try #require(WebURL("HTTPS://Example.COM:8443/A?b=C#D"))
    #expect(page.string == "https://example.com:8443/A?b=C#D")
    #expect(page.authority == "example.com:8443")
    #expect(WebURL.isAuthority("example.com:8443"))
    for text in ["", "Example.com", "a/b", "user@a", "a?b", "m%C3%BCnchen.de", "münchen.de", "a b"] {
      #expect(!WebURL.isAuthority(text), "\(text)")
    }
  }

  @Test func webURLAtItsLimit() {
    let start = "https://example.com/"
    let longest = start + String(repeating: "a", count: Limits.urlMaximum - start.utf8.count)
    #expect(WebURL(longest) != nil)
    #expect(WebURL(longest + "a") == nil)
  }
}
