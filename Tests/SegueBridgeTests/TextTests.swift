import SegueCore
import Testing

@testable import SegueBridge

@Suite struct TextTests {
  private static let text = (1...20).map { "line \($0) of the text" }.joined(separator: "\n") + "\n"

  private func found(_ entries: [String: Value], in text: String = text) throws -> [Int]? {
    var userInfo: [Value: Value] = [.string("uri"): .url("file:///a")]
    for (key, value) in entries { userInfo[.string(key)] = value }
    return try #require(TextPlace(userInfo)).found(in: Array(text.utf8)).map { [$0.line, $0.column] }
  }

  @Test func thePlaceIsItsLineAndColumn() throws {
    #expect(try found([:]) == nil)
    #expect(try found(["line": .integer(7), "column": .integer(3)]) == [7, 3])
    #expect(try found(["line": .integer(7)]) == [7, 1])
  }

  @Test func theWordsFindThePlaceInATextThatWasEdited() throws {
    let words: [String: Value] = [
      "line": .integer(7), "column": .integer(6), "before": .string("line "), "after": .string("7 of"),
    ]
    #expect(try found(words) == [7, 6])
    #expect(try found(words, in: "new\nnew\n" + Self.text) == [9, 6])
    #expect(try found(words, in: "ä–line 7 of\n") == [1, 8])
    // The nearest of several.
    #expect(try found(words, in: "line 7 of\n" + Self.text + "line 7 of\n") == [8, 6])
    #expect(try found(words, in: "other\n") == [2, 1])
    #expect(try found(["before": .string("line 1"), "after": .string("9")]) == [19, 7])
    // A word that begins like itself.
    #expect(try found(["before": .string("aab"), "after": .string("")], in: "aaaab") == [1, 6])
    #expect(try found(["line": .integer(2), "before": .string(" "), "after": .string("")]) == [2, 1])
  }

  @Test func O5_numbersAreClamped() throws {
    #expect(try found(["line": .integer(99), "column": .integer(99)]) == [20 + 1, 1])
    #expect(try found(["line": .integer(3), "column": .integer(99)]) == [3, 19])
    for line in [Value.integer(-1), .integer(0), .integer(.max), .double(3), .double(.nan), .string("3")] {
      #expect(try found(["line": line]) == nil)
    }
    #expect(try found(["line": .integer(1), "column": .integer(5)], in: "") == [1, 1])
    let long = String(repeating: "a", count: Limits.bridgeText + 1)
    #expect(try found(["line": .integer(1), "before": .string(long)], in: "b\n" + long) == [1, 1])
    #expect(TextPlace([.string("uri"): .url("https://example.org/a")]) == nil)
  }
}
