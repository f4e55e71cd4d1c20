import SegueBus
import SegueCore
import SegueState

/// The place in a text that another device has sent (`org.segue.open.Text`), checked.
struct TextPlace: Equatable {
  let file: FileURL
  /// From 1; nil where only the file is known. Columns are Unicode scalars.
  let line: Int?
  let column: Int
  /// The words around it, in its line.
  private let before: String
  private let after: String

  /// No text has more lines, and no line more columns.
  private static let far = 1_000_000_000

  /// Nil where it is no file: a page of the web is for a browser.
  init?(_ userInfo: [Value: Value]) {
    guard case .file(let file) = OpenAddress(userInfo) else { return nil }
    func number(_ key: String) -> Int? {
      userInfo[.string(key)]?.integer.flatMap { Int(exactly: $0) }.flatMap { (1...Self.far).contains($0) ? $0 : nil }
    }
    func text(_ key: String) -> String {
      guard case .string(let text) = userInfo[.string(key)], text.utf8.count <= Limits.bridgeText else { return "" }
      return text
    }
    self.file = file
    (line, column) = (number("line"), number("column") ?? 1)
    (before, after) = (text("before"), text("after"))
  }

  /// The place in a text as it is now: where the words stand, as near to the line as possible, since lines may have come
  /// above it; the line itself where they are nowhere. Nil where no place is known.
  func found(in text: [UInt8]) -> (line: Int, column: Int)? {
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let wanted = Array((before + after).utf8)
    var best: (line: Int, column: Int)?
    if wanted.contains(where: { $0 > 0x20 }) {
      for (index, bytes) in lines.enumerated() {
        if let best, let line, abs(index + 1 - line) >= abs(best.line - line) { continue }
        guard best == nil || line != nil, let start = Self.start(of: wanted, in: bytes) else { continue }
        best = (index + 1, Self.scalars(bytes.prefix(start + before.utf8.count)) + 1)
      }
    }
    if let best { return best }
    guard let line else { return nil }
    let row = min(line, max(lines.count, 1))
    return (row, min(column, Self.scalars((row <= lines.count ? lines[row - 1] : [])[...]) + 1))
  }

  private static func scalars(_ bytes: ArraySlice<UInt8>) -> Int { bytes.count { $0 & 0xC0 != 0x80 } }

  /// The first place of `wanted` in the line, from 0. Both are read once (Knuth, Morris, Pratt): a line may be the whole file.
  private static func start(of wanted: [UInt8], in line: ArraySlice<UInt8>) -> Int? {
    var back = [0]
    for index in wanted.indices.dropFirst() {
      var length = back[index - 1]
      while length > 0, wanted[index] != wanted[length] { length = back[length - 1] }
      back.append(wanted[index] == wanted[length] ? length + 1 : 0)
    }
    var length = 0
    for (index, byte) in line.enumerated() {
      while length > 0, byte != wanted[length] { length = back[length - 1] }
      if byte == wanted[length] { length += 1 }
      if length == wanted.count { return index + 1 - length }
    }
    return nil
  }
}
