import SegueCore
import SegueWeb

/// A JSON value in a message, with JavaScript's numbers.
enum JSON: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object(TextMap<JSON>)

  /// Nil for bytes that are no JSON, or exceed a message's limits.
  init?(_ bytes: [UInt8]) {
    guard let node = try? JSONReader.read(bytes, .message), let value = JSON(node) else { return nil }
    self = value
  }

  /// Nil where a number is larger than JavaScript has them.
  private init?(_ node: JSONNode) {
    switch node.value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .number(let text):
      guard let number = Double(text), number.isFinite else { return nil }
      self = .number(number)
    case .string(let text): self = .string(text)
    case .array(let nodes):
      let values = nodes.compactMap { JSON($0) }
      guard values.count == nodes.count else { return nil }
      self = .array(values)
    case .object(let members):
      var values: TextMap<JSON> = [:]
      for member in members {
        guard let value = JSON(member.node) else { return nil }
        values[member.key] = value
      }
      self = .object(values)
    }
  }

  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  var number: Double? { if case .number(let value) = self { value } else { nil } }
  var string: String? { if case .string(let value) = self { value } else { nil } }

  /// A number that counts something.
  var count: Int? { number.flatMap { $0 >= 0 && $0 <= 9_007_199_254_740_991 ? Int(exactly: $0) : nil } }

  /// The value as text, on one line. An infinite number, or NaN, becomes null.
  var text: String {
    switch self {
    case .null: return "null"
    case .bool(let value): return value ? "true" : "false"
    case .number(let value): return count.map { String($0) } ?? (value.isFinite ? String(value) : "null")
    case .string(let value): return Self.quoted(value)
    case .array(let values): return "[" + values.map { $0.text }.joined(separator: ",") + "]"
    case .object(let members):
      let sorted = members.pairs.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      return "{" + sorted.map { Self.quoted($0.key) + ":" + $0.value.text }.joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ string: String) -> String {
    var text = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}
