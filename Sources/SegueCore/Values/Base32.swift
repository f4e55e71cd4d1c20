/// RFC 4648 base32 in lower case, without padding. Digits are the values 0 to 31.
public enum Base32 {
  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

  /// The values of `bytes`, five bits each, the last one filled up with zero bits.
  public static func digits(_ bytes: [UInt8]) -> [UInt8] {
    var digits: [UInt8] = []
    var buffer: UInt16 = 0
    var bits = 0
    for byte in bytes {
      buffer = buffer << 8 | UInt16(byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        digits.append(UInt8(truncatingIfNeeded: buffer >> UInt16(bits)) & 31)
      }
    }
    if bits > 0 { digits.append(UInt8(truncatingIfNeeded: buffer << UInt16(5 - bits)) & 31) }
    return digits
  }

  /// The bytes of `digits`; nil where the bits left over are not zero, since one id must have one text.
  public static func bytes(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer: UInt16 = 0
    var bits = 0
    for digit in digits {
      buffer = buffer << 5 | UInt16(digit)
      bits += 5
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt16(bits)))
      buffer &= (1 << UInt16(bits)) - 1
    }
    return bits < 5 && buffer == 0 ? bytes : nil
  }

  /// The text of `bytes`.
  public static func text(_ bytes: [UInt8]) -> String { String(decoding: encode(digits(bytes)), as: UTF8.self) }

  /// The bytes of a text; nil where it is no such text.
  public static func bytes(_ text: String) -> [UInt8]? { decode(Array(text.utf8)).flatMap { bytes($0[...]) } }

  /// The characters of `digits`.
  public static func encode(_ digits: [UInt8]) -> [UInt8] { digits.map { alphabet[Int($0 & 31)] } }

  /// The digits of `characters`, in either case; nil where one is foreign.
  public static func decode(_ characters: [UInt8]) -> [UInt8]? {
    var digits: [UInt8] = []
    for character in characters {
      switch character {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): digits.append(character - UInt8(ascii: "a"))
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): digits.append(character - UInt8(ascii: "A"))
      case UInt8(ascii: "2")...UInt8(ascii: "7"): digits.append(character - UInt8(ascii: "2") + 26)
      default: return nil
      }
    }
    return digits
  }
}
