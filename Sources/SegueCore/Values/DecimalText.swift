/// Numbers as people write them in files; Core has no C library to ask.
enum DecimalText {
  /// An integer, "-7"; nil for anything else, and beyond 64 bits.
  static func integer(_ text: String) -> Int64? {
    // Swift would take a plus sign too.
    text.utf8.first == UInt8(ascii: "+") ? nil : Int64(text)
  }

  /// A decimal number without exponent, "-2.5"; nil for anything else, and for more than 15 digits, up to which the
  /// nearest double is found by one division (Clinger, "How to Read Floating Point Numbers Accurately", 1990).
  static func double(_ text: String) -> Double? {
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    var digits: Int64 = 0
    var count = 0
    var divisor: Double = 1
    var hasPoint = false
    var last: UInt8?
    for byte in text.utf8.dropFirst(isNegative ? 1 : 0) {
      last = byte
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        count &+= 1
        guard count <= 15 else { return nil }
        digits = digits &* 10 &+ Int64(byte &- UInt8(ascii: "0"))
        if hasPoint { divisor *= 10 }
      case UInt8(ascii: ".") where !hasPoint && count > 0: hasPoint = true
      default: return nil
      }
    }
    guard let last, last != UInt8(ascii: ".") else { return nil }
    let magnitude = Double(digits) / divisor
    return isNegative ? -magnitude : magnitude
  }
}
