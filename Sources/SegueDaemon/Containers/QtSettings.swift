import SegueCore

/// A group of a settings file as Qt's QSettings writes it (`IniFormat`), which looks like a key file and is none: keys
/// have backslashes between their parts, values may be quoted, and text beyond ASCII is escaped as UTF-16.
struct QtSettings {
  /// The values by their keys; parts of keys are separated by slashes. Entries that cannot be read are left out.
  private(set) var values: TextMap<String> = [:]

  /// Throws for bytes that are not UTF-8.
  init(_ bytes: [UInt8], group: String) throws(SegueError) {
    guard TextCheck.validUTF8(bytes) else { throw SegueError(.invalidArgument, "It is not UTF-8, or has a NUL.") }
    var isInGroup = false
    for line in bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
      if line.first == UInt8(ascii: "[") {
        isInGroup = line.dropFirst().prefix { $0 != UInt8(ascii: "]") }.elementsEqual(group.utf8)
      } else if isInGroup, line.first != UInt8(ascii: ";"), let equals = line.firstIndex(of: UInt8(ascii: "=")),
        let key = Self.key(line[..<equals]), let value = Self.value(line[(equals + 1)...])
      {
        values[key] = value
      }
    }
  }

  /// `%20` is a byte of Latin-1, `%U1234` a unit of UTF-16, a backslash separates.
  private static func key(_ bytes: ArraySlice<UInt8>) -> String? {
    var key: [UInt16] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        let digits = rest.first == UInt8(ascii: "U") ? 4 : 2
        if digits == 4 { rest = rest.dropFirst() }
        guard let unit = UInt16(String(decoding: rest.prefix(digits), as: UTF8.self), radix: 16), rest.count >= digits
        else { return nil }
        key.append(unit)
        rest = rest.dropFirst(digits)
      case UInt8(ascii: "\\"): key.append(UInt16(UInt8(ascii: "/")))
      default: key.append(UInt16(byte))
      }
    }
    return String(validating: key, as: UTF16.self)
  }

  /// Nil for lists, for what is no text, and for escapes that are none.
  private static func value(_ bytes: ArraySlice<UInt8>) -> String? {
    var units: [UInt16] = []
    var rest = Array(String(decoding: bytes, as: UTF8.self).utf16)[...]
    // Up to here it is text even where a space follows.
    var written = 0
    var isQuoted = false
    while let unit = rest.popFirst() {
      switch unit {
      case quote: isQuoted.toggle()
      case comma where !isQuoted: return nil
      case space where !isQuoted:
        if !units.isEmpty { units.append(unit) }
        continue
      case backslash:
        guard let escape = escape(&rest) else { return nil }
        units.append(escape)
      default: units.append(unit)
      }
      written = units.count
    }
    units.removeSubrange(written...)
    // Qt marks what is no text by an at sign, and doubles one that begins a text.
    if units.first == at {
      guard units.dropFirst().first == at else { return nil }
      units.removeFirst()
    }
    return isQuoted ? nil : String(validating: units, as: UTF16.self)
  }

  /// Decodes the escape sequence that follows a backslash.
  private static func escape(_ rest: inout ArraySlice<UInt16>) -> UInt16? {
    guard let unit = rest.popFirst(), let scalar = Unicode.Scalar(unit) else { return nil }
    switch scalar {
    case "\"", "\\", "'", "?": return unit
    case "n": return 10
    case "r": return 13
    case "t": return 9
    case "x":
      var value: UInt16 = 0
      var count = 0
      while let next = rest.first, let digit = Self.hexadecimal(next) {
        guard count < 4 else { return nil }
        value = value << 4 | UInt16(digit)
        count += 1
        rest = rest.dropFirst()
      }
      return count > 0 ? value : nil
    default: return nil
    }
  }

  private static func hexadecimal(_ unit: UInt16) -> UInt16? {
    UInt8(exactly: unit).flatMap { $0 == UInt8(ascii: "+") ? nil : UInt16(String(Unicode.Scalar($0)), radix: 16) }
  }

  private static let quote = UInt16(UInt8(ascii: "\""))
  private static let comma = UInt16(UInt8(ascii: ","))
  private static let space = UInt16(UInt8(ascii: " "))
  private static let backslash = UInt16(UInt8(ascii: "\\"))
  private static let at = UInt16(UInt8(ascii: "@"))
}
