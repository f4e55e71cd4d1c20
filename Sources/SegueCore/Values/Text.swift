// Text from outside: what may be shown, and what may be taken for a string at all.

/// Text that another party chose, made fit to be shown on one line (security attacks 25, 35): the one rule for it.
///
/// | scalars | become |
/// | --- | --- |
/// | U+0009-000D, 0085, 2028, 2029: what ends a line, and tabs | a space |
/// | other controls: U+0000-001F, 007F-009F | nothing |
/// | marks that turn the direction of text: U+061C, 200E, 200F, 202A-202E, 2066-2069 | nothing |
/// | what is not seen: U+00AD, 034F, 115F, 1160, 17B4, 17B5, 180B-180F, 200B, 2060-2065, 206A-206F, 3164, FEFF, FFA0,
///   FFF0-FFFB, 1BCA0-1BCA3, 1D173-1D17A, and the tags and selectors of U+E0000-E0FFF | nothing |
/// | joiners (U+200C, 200D) and variation selectors (U+FE00-FE0F) | stay behind a scalar above U+02FF, one of each |
///
/// Markup stays as it is: the code that shows the text escapes it.
public enum DisplayText {
  /// `string` by this rule, cut to `maximum` bytes between two characters.
  public static func clean(_ string: String, maximum: Int = Limits.titleMaximum) -> String {
    // Most of what is shown has nothing to clean.
    if string.utf8.count <= maximum, string.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return string }
    var cleaned = String.UnicodeScalarView()
    var length = 0
    // A selector and a joiner, a joiner, or neither may follow the scalar before.
    var maySelect = false
    var mayJoin = false
    for scalar in string.unicodeScalars {
      let shown: Unicode.Scalar
      switch scalar.value {
      case 0x09...0x0D, 0x85, 0x2028, 0x2029:
        (maySelect, mayJoin) = (false, false)
        shown = " "
      case 0...0x1F, 0x7F...0x9F: continue
      case 0x200C, 0x200D:
        guard mayJoin else { continue }
        (maySelect, mayJoin) = (false, false)
        shown = scalar
      case 0xFE00...0xFE0F:
        guard maySelect else { continue }
        maySelect = false
        shown = scalar
      case _ where turnsDirection(scalar) || isInvisible(scalar): continue
      case let value:
        (maySelect, mayJoin) = (value > 0x02FF, value > 0x02FF)
        shown = scalar
      }
      length &+= UTF8.width(shown)
      guard length <= maximum else { return cut(String(cleaned), before: shown) }
      cleaned.append(shown)
    }
    return String(cleaned)
  }

  /// `string` by this rule, but for its line feeds and tabs, which stay; carriage returns are dropped. For text that is
  /// shown, or pasted, as lines.
  public static func cleanLines(_ string: String) -> String {
    var lines = ""
    var part = String.UnicodeScalarView()
    for scalar in string.unicodeScalars {
      switch scalar.value {
      case 0x09, 0x0A:
        lines += clean(String(part), maximum: .max)
        lines.unicodeScalars.append(scalar)
        part = String.UnicodeScalarView()
      case 0x0D: continue
      default: part.append(scalar)
      }
    }
    return lines + clean(String(part), maximum: .max)
  }

  /// Drops the last character if the next scalar would be a part of it: a letter without its accents, or half of a
  /// flag, is another character. A character that stands alone and exceeds the maximum is cut.
  private static func cut(_ text: String, before next: Unicode.Scalar) -> String {
    var longer = text
    longer.unicodeScalars.append(next)
    // Asked from the end: an index of the shorter text remembers how long its character was there.
    guard let last = text.indices.last, last != text.startIndex, longer.index(before: longer.endIndex) == last else {
      return text
    }
    return String(text[..<last])
  }

  /// Another side's words inside a sentence of ours: cleaned, short, and in quotation marks that they cannot close.
  public static func quoted(_ string: String, maximum: Int = Limits.quotedLength) -> String {
    var words = String.UnicodeScalarView()
    for scalar in clean(string, maximum: maximum).unicodeScalars {
      switch scalar.value {
      case 0x22, 0x201C...0x201F, 0xFF02: words.append("'")
      default: words.append(scalar)
      }
    }
    return "\"" + String(words) + "\""
  }

  /// Whether `clean` would leave the string as it is; an empty one is not fit either.
  public static func isClean(_ string: String, maximum: Int = Limits.titleMaximum) -> Bool {
    !string.isEmpty && clean(string, maximum: maximum) == string
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

/// Whether a scalar is invisible and no space: it would make equal-looking texts differ, or carry hidden text.
private func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x00AD, 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B...0x180F, 0x200B, 0x2060...0x2065, 0x206A...0x206F,
    0x3164, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFB, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE0FFF:
    true
  default: false
  }
}

/// Whether there is a C0 or C1 control, or DEL.
public func hasControls(_ string: String) -> Bool {
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
