import SegueCore
import Testing

@testable import SegueBrowser

@Suite struct JSONTests {
  @Test(arguments: [
    ("null", JSON.null), (" true ", .bool(true)), ("-0.5e2", .number(-50)), ("0", .number(0)), ("[]", .array([])),
    ("{ }", .object([:])), (#"["a", {"b" : [1]}]"#, .array([.string("a"), .object(["b": .array([.number(1)])])])),
    (#""\"\\\/\b\f\n\r\t\u00e4\ud83d\ude00""#, .string("\"\\/\u{08}\u{0C}\n\r\tä😀")), ("\"ä😀\"", .string("ä😀")),
    (#""\ud83d""#, .string("\u{FFFD}")), (#""\udc00x""#, .string("\u{FFFD}x")),
    (#""\ud83d\ud83d\ude00""#, .string("\u{FFFD}😀")), (#""\ud83d\n""#, .string("\u{FFFD}\n")),
    (#""\u0000""#, .string("\0")),
  ]) func valuesAreRead(_ text: String, _ value: JSON) {
    #expect(JSON(Array(text.utf8)) == value)
  }

  @Test func keysAreComparedByTheirBytes() throws {
    let value = try #require(JSON(Array("{\"\u{E9}\":1,\"e\u{301}\":2}".utf8)))
    #expect(value == .object(["\u{E9}": .number(1), "e\u{301}": .number(2)]))
    #expect(Array(value.text.utf8) == Array("{\"e\u{301}\":2,\"\u{E9}\":1}".utf8))
  }

  @Test(arguments: [
    "", " ", "nul", "True", "+1", "01", "-", "1.", ".5", "1e", "1e999", "0x10", "NaN", "Infinity", "-01", "'a'", "\"a",
    "\"\t\"", #""\x""#, #""\u12""#, #""\u12g4""#, #""\"#, "[1,]", "[1 2]", "[", "]", "{\"a\"}", "{\"a\":1,}", "{a:1}",
    "{\"a\":1 \"b\":2}", "{\"a\":1,\"a\":2}", "1 2", "[] x", "/**/1", "\u{FEFF}1",
  ]) func attack27_whatIsNoneIsRefused(_ text: String) {
    #expect(JSON(Array(text.utf8)) == nil)
  }

  @Test(
    arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x31, 0]] as [[UInt8]])
  func attack25_whatIsNotUTF8IsRefused(_ bytes: [UInt8]) {
    #expect(JSON(bytes) == nil)
  }

  @Test func attack23_tooDeep() {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    #expect(JSON(nested(Limits.browserNesting)) != nil)
    #expect(JSON(nested(Limits.browserNesting + 1)) == nil)
    #expect(JSON(nested(30_000)) == nil)
    #expect(JSON(Array(String(repeating: "{\"a\":", count: 10_000).utf8)) == nil)
  }

  /// No noise traps, and what is read is written and read again as the same.
  @Test func attack27_noise() {
    var random = SystemRandomNumberGenerator()
    let letters = Array("{}[],:\"\\u0e1.-+ntfalsr \u{1}ä".utf8)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0..<24, using: &random)).compactMap { _ in letters.randomElement(using: &random) }
      if let value = JSON(bytes) { #expect(JSON(Array(value.text.utf8)) == value) }
    }
  }

  @Test func whatIsWritten() {
    let value = JSON.object([
      "b": .string("\"\\\n\u{1F}ä"),
      "a": .array([.number(1), .number(-0.25), .number(.infinity), .bool(false), .null]),
    ])
    #expect(value.text == #"{"a":[1,-0.25,null,false,null],"b":"\"\\\u000a\u001fä"}"#)
    #expect(JSON.number(9_007_199_254_740_991).text == "9007199254740991")
  }

  @Test func whatCounts() {
    #expect(JSON.number(7).count == 7)
    #expect(JSON.number(-1).count == nil)
    #expect(JSON.number(0.5).count == nil)
    #expect(JSON.number(1e300).count == nil)
    #expect(JSON.string("7").count == nil)
  }
}
