import SegueCore

/// A JSON text (RFC 8259), read strictly: one value, no name twice in an object, nothing behind it, and no deeper than
/// `Limits.browserNesting`. Half of a pair of surrogates becomes U+FFFD, since JavaScript's strings may have such.
enum JSON: Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  /// Nil for anything else.
  init?(_ bytes: [UInt8]) {
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    var reader = JSONReader(bytes: bytes)
    guard let value = reader.document() else { return nil }
    self = value
  }

  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  var number: Double? { if case .number(let value) = self { value } else { nil } }
  var string: String? { if case .string(let value) = self { value } else { nil } }

  /// A number that counts something.
  var count: Int? { number.flatMap { $0 >= 0 && $0 <= 9_007_199_254_740_991 ? Int(exactly: $0) : nil } }

  /// As text, on one line. What is infinite, or no number, is null.
  var text: String {
    switch self {
    case .null: return "null"
    case .bool(let value): return value ? "true" : "false"
    case .number(let value): return count.map { String($0) } ?? (value.isFinite ? String(value) : "null")
    case .string(let value): return Self.quoted(value)
    case .array(let values): return "[" + values.map { $0.text }.joined(separator: ",") + "]"
    case .object(let members):
      let sorted = members.sorted { $0.key < $1.key }
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

/// Its place in a text. The bytes are UTF-8.
private struct JSONReader {
  let bytes: [UInt8]
  var index = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func document() -> JSON? {
    guard let value = value(depth: 0) else { return nil }
    skipSpace()
    return index == bytes.count ? value : nil
  }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func take(word: String, _ value: JSON) -> JSON? {
    guard bytes[index...].starts(with: word.utf8) else { return nil }
    index += word.utf8.count
    return value
  }

  private mutating func value(depth: Int) -> JSON? {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return depth < Limits.browserNesting ? object(depth: depth + 1) : nil
    case UInt8(ascii: "["): return depth < Limits.browserNesting ? array(depth: depth + 1) : nil
    case UInt8(ascii: "\""): return string().map { .string($0) }
    case UInt8(ascii: "t"): return take(word: "true", .bool(true))
    case UInt8(ascii: "f"): return take(word: "false", .bool(false))
    case UInt8(ascii: "n"): return take(word: "null", .null)
    default: return number()
    }
  }

  private mutating func object(depth: Int) -> JSON? {
    var members: [String: JSON] = [:]
    index += 1
    skipSpace()
    if take("}") { return .object(members) }
    repeat {
      skipSpace()
      guard let name = string(), members[name] == nil else { return nil }
      skipSpace()
      guard take(":"), let value = value(depth: depth) else { return nil }
      members[name] = value
      skipSpace()
    } while take(",")
    return take("}") ? .object(members) : nil
  }

  private mutating func array(depth: Int) -> JSON? {
    var values: [JSON] = []
    index += 1
    skipSpace()
    if take("]") { return .array(values) }
    repeat {
      guard let value = value(depth: depth) else { return nil }
      values.append(value)
      skipSpace()
    } while take(",")
    return take("]") ? .array(values) : nil
  }

  /// What Swift reads as a number is more than what JSON does.
  private mutating func number() -> JSON? {
    let start = index
    _ = take("-")
    guard let first = next, digits() else { return nil }
    if first == UInt8(ascii: "0"), index > start + (bytes[start] == UInt8(ascii: "-") ? 2 : 1) { return nil }
    if take("."), !digits() { return nil }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      guard digits() else { return nil }
    }
    guard let number = Double(String(decoding: bytes[start..<index], as: UTF8.self)), number.isFinite else {
      return nil
    }
    return .number(number)
  }

  private mutating func digits() -> Bool {
    let start = index
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
    return index > start
  }

  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    var text: [UInt8] = []
    while let byte = next {
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = escaped() else { return nil }
        text += Array(String(Character(scalar)).utf8)
      case 0..<0x20: return nil
      default: text.append(byte)
      }
    }
    return nil
  }

  /// Behind a backslash.
  private mutating func escaped() -> Unicode.Scalar? {
    guard let byte = next else { return nil }
    index += 1
    switch byte {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{08}"
    case UInt8(ascii: "f"): return "\u{0C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return fourDigits().map { scalar(of: $0) }
    default: return nil
    }
  }

  private mutating func fourDigits() -> UInt32? {
    guard index + 4 <= bytes.count else { return nil }
    var number: UInt32 = 0
    for byte in bytes[index..<index + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      number = number << 4 | UInt32(digit)
    }
    index += 4
    return number
  }

  /// Of a UTF-16 unit, and of the one behind it where it is the first half of a pair.
  private mutating func scalar(of unit: UInt32) -> Unicode.Scalar {
    if let scalar = Unicode.Scalar(unit) { return scalar }
    let start = index
    if unit < 0xDC00, take("\\"), take("u"), let second = fourDigits(), (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00))
    {
      return scalar
    }
    index = start
    return "\u{FFFD}"
  }
}
