// Text from outside: what may be shown, and what may be taken for a string at all.

/// Text that another device chose, made fit to be shown on one line (security attacks 25, 35).
public enum DisplayText {
  /// `string` without controls and without the marks that turn the direction of text around, cut to `maximum` bytes
  /// between two scalars. Whatever ends a line or is a tab becomes a space. Markup is left as it is: who shows the
  /// text escapes it.
  public static func clean(_ string: String, maximum: Int = Limits.titleMaximum) -> String {
    // Most of what is shown has nothing to clean.
    if string.utf8.count <= maximum, string.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return string }
    var cleaned = String.UnicodeScalarView()
    var length = 0
    for scalar in string.unicodeScalars {
      let shown: Unicode.Scalar
      switch scalar.value {
      case 0x09...0x0D, 0x85, 0x2028, 0x2029: shown = " "
      case 0...0x1F, 0x7F...0x9F: continue
      case _ where turnsDirection(scalar): continue
      default: shown = scalar
      }
      length &+= UTF8.width(shown)
      guard length <= maximum else { break }
      cleaned.append(shown)
    }
    return String(cleaned)
  }

  /// Whether `clean` would leave the string as it is; an empty one is not fit either.
  public static func isClean(_ string: String, maximum: Int = Limits.titleMaximum) -> Bool {
    !string.isEmpty && clean(string, maximum: maximum) == string
  }
}

/// What a C string or a message's bytes must be before they become a `String`.
public enum TextCheck {
  /// Whether `bytes` are well-formed UTF-8 (Unicode 3.9, table 3-7) without a NUL.
  public static func validUTF8(_ bytes: some Sequence<UInt8>) -> Bool {
    var missing = 0
    // What the next byte may be: narrower after four first bytes, against overlong forms, surrogates, > U+10FFFF.
    var next: ClosedRange<UInt8> = 0x80...0xBF
    for byte in bytes {
      if missing > 0 {
        guard next.contains(byte) else { return false }
        missing &-= 1
        next = 0x80...0xBF
        continue
      }
      switch byte {
      case 0x01...0x7F: break
      case 0xC2...0xDF: missing = 1
      case 0xE0...0xEF:
        missing = 2
        if byte == 0xE0 { next = 0xA0...0xBF }
        if byte == 0xED { next = 0x80...0x9F }
      case 0xF0...0xF4:
        missing = 3
        if byte == 0xF0 { next = 0x90...0xBF }
        if byte == 0xF4 { next = 0x80...0x8F }
      default: return false
      }
    }
    return missing == 0
  }

  /// The string that `bytes` are, nil unless `validUTF8` accepts them and they are no more than `maximum`.
  public static func string(_ bytes: [UInt8], maximum: Int = Limits.valueLength) -> String? {
    guard bytes.count <= maximum, !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension Value {
  /// Whether `string` is acceptable as a `url`: a scheme (RFC 3986, 3.1), a colon, and no space or control character.
  public static func isURL(_ string: String) -> Bool {
    guard !hasControls(string), !string.utf8.contains(UInt8(ascii: " ")) else { return false }
    var isFirst = true
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): break
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
        guard !isFirst else { return false }
      case UInt8(ascii: ":"): return !isFirst
      default: return false
      }
      isFirst = false
    }
    return false
  }
}

/// Whether a scalar changes the direction of the text around it.
func turnsDirection(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
  default: false
  }
}

/// Whether there is a C0 or C1 control, or DEL.
func hasControls(_ string: String) -> Bool {
  string.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
}

/// An ASCII letter in its lower case; other bytes as they are.
func lowerCased(_ byte: UInt8) -> UInt8 {
  (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}

/// The value of a hexadecimal digit, nil for another byte.
func hexadecimal(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
  default: nil
  }
}
