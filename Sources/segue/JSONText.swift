import SegueBus
import SegueControl

/// JSON (RFC 8259), as far as this command prints it. Foundation's encoder would cost more time at the start than all
/// the rest of the command.
enum JSONText {
  /// A quoted string. It escapes what JSON requires, and every character that a terminal might obey or that might turn
  /// the text around: the output of --json ends on a terminal, too.
  static func string(_ string: String) -> String {
    var text = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      default:
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
          let digits = String(scalar.value, radix: 16)
          text += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
    return text + "\""
  }

  /// An object of members whose values are JSON already.
  static func object(_ members: [(String, String)]) -> String {
    "{" + members.map { string($0.0) + ":" + $0.1 }.joined(separator: ",") + "}"
  }

  /// An object of named values of the bus. If two have one name, the first counts.
  static func object(_ dictionary: BusDictionary) -> String {
    var members: [(String, String)] = []
    for entry in dictionary.entries where !members.contains(where: { $0.0 == entry.key }) {
      members.append((entry.key, value(entry.value)))
    }
    return object(members)
  }

  /// An array of objects.
  static func array(_ values: [some ControlValue]) -> String { array(of: values.map { object($0.dictionary) }) }

  /// A value of the bus. Bytes become an array of numbers, a descriptor null.
  static func value(_ value: BusValue) -> String {
    switch value {
    case .bool(let value): value ? "true" : "false"
    case .byte(let value): String(value)
    case .int16(let value): String(value)
    case .uint16(let value): String(value)
    case .int32(let value): String(value)
    case .uint32(let value): String(value)
    case .int64(let value): String(value)
    case .uint64(let value): String(value)
    // There is no infinity in JSON.
    case .double(let value): value.isFinite ? String(value) : "null"
    case .string(let value), .signature(let value): string(value)
    case .objectPath(let path): string(path.string)
    case .bytes(let bytes): array(of: bytes.map { String($0) })
    case .array(_, let values), .structure(let values): array(of: values.map { self.value($0) })
    case .dictionary(let dictionary): object(dictionary)
    case .variant(let content): self.value(content)
    case .descriptor: "null"
    }
  }

  /// An array of texts that are JSON already.
  static func array(of elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }
}
