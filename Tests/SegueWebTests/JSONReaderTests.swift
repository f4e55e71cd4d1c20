import SegueCore
import SegueWeb
import Testing

@Suite struct JSONReaderTests {
  private func error(_ text: String) -> String? {
    do throws(SegueError) {
      _ = try JSONReader.read(Array(text.utf8), .file)
      return nil
    } catch {
      return error.message
    }
  }

  /// As every other reader has it: what Swift takes for equal are two keys.
  @Test func W3_keysAreComparedByTheirBytes() throws {
    let node = try JSONReader.read(Array("{\"\u{E9}\":1,\"e\u{301}\":2,\"K\":3,\"\u{212A}\":4}".utf8), .file)
    guard case .object(let members) = node.value else { return #expect(Bool(false)) }
    #expect(members.map { Array($0.key.utf8) } == [[0xC3, 0xA9], [0x65, 0xCC, 0x81], [0x4B], [0xE2, 0x84, 0xAA]])
  }

  @Test func valuesHaveTheirLines() throws {
    let node = try JSONReader.read(
      Array("\n{\"a\":\n [1.5e3, null, true],\n\"b\": \"\\u00e4\\ud83d\\ude00\\n\"}\n".utf8), .file)
    #expect(node.line == 2)
    guard case .object(let members) = node.value else { return #expect(Bool(false)) }
    #expect(members.map(\.key) == ["a", "b"])
    #expect(members.map(\.node.line) == [3, 4])
    #expect(
      members[0].node.value
        == .array([
          JSONNode(.number("1.5e3"), line: 3), JSONNode(.null, line: 3), JSONNode(.bool(true), line: 3),
        ]))
    #expect(members[1].node.value == .string("ä😀\n"))
  }

  @Test(arguments: [
    ("", "ends where"), ("{", "key"), ("{\"a\"}", "colon"), ("{\"a\":1,}", "key"), ("[1,]", "value is expected"),
    ("[1 2]", "comma"), ("01", "not a number"), ("-", "not a number"), ("1.", "not a number"), ("1e", "not a number"),
    ("\"a", "inside of a string"), ("\"\u{1}\"", "control"), ("\"\\x\"", "escape"), ("\"\\u12\"", "cut short"),
    ("\"\\ud800\"", "surrogate"), ("\"\\ud800\\u0041\"", "surrogate"), ("\"\\udc00\"", "surrogate"),
    ("\"\\u0000\"", "NUL"), ("nul", "value is expected"), ("{} {}", "follows"), ("'a'", "value is expected"),
    ("\u{FEFF}{}", "value is expected"), ("{a:1}", "key"), ("// x\n{}", "value is expected"), ("NaN", "value"),
  ])
  func whatIsNotStrictIsRefused(_ text: String, _ message: String) throws {
    #expect(try #require(error(text)).contains(message))
  }

  @Test func attack48_aKeyThatIsThereTwiceIsRefused() {
    #expect(error("{\"a\": 1,\n\"b\": 2,\n\"a\": 3}") == "Line 3: the key \"a\" is there twice.")
    #expect(error("{\"a\": 1, \"\\u0061\": 3}") != nil)
  }

  @Test func attack48_depthValuesAndLengthHaveBounds() throws {
    let depth = Limits.associationDepth
    #expect(error(String(repeating: "[", count: depth) + String(repeating: "]", count: depth)) == nil)
    #expect(error(String(repeating: "[", count: depth + 1))?.contains("nested") == true)
    #expect(error(String(repeating: "[", count: Limits.associationLength))?.contains("nested") == true)
    let values = Limits.associationValues - 1
    #expect(error("[" + [String](repeating: "1", count: values).joined(separator: ",") + "]") == nil)
    let more = [String](repeating: "1", count: values + 1).joined(separator: ",")
    #expect(error("[" + more + "]") != nil)
    #expect(error(String(repeating: " ", count: Limits.associationLength - 2) + "{}") == nil)
    #expect(error(String(repeating: " ", count: Limits.associationLength - 1) + "{}")?.contains("bytes") == true)
  }

  @Test func whatIsNotUTF8IsRefused() {
    #expect(throws: SegueError.self) { try JSONReader.read([0x22, 0xC3, 0x22], .file) }
  }
}
