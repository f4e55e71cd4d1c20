/// 128 random bits: the id of an activity, a continuation, a ticket.
public struct Identifier: Hashable, Comparable, Sendable {
  public let high: UInt64
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A new one, from the system's random number generator.
  public static func random() -> Identifier {
    Identifier(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
  }

  /// Nil unless `bytes` are sixteen.
  public init?(bytes: some Sequence<UInt8>) {
    var high: UInt64 = 0
    var low: UInt64 = 0
    var count = 0
    for byte in bytes {
      guard count < 16 else { return nil }
      high = high << 8 | low >> 56
      low = low << 8 | UInt64(byte)
      count &+= 1
    }
    guard count == 16 else { return nil }
    self.init(high: high, low: low)
  }

  /// Nil unless `hex` is 32 lower-case hexadecimal digits, as `hex` gives them.
  public init?(hex: String) {
    guard let bytes = [UInt8](hex: hex) else { return nil }
    self.init(bytes: bytes)
  }

  /// As a person or another program writes it: 32 hexadecimal digits of either case, alone or with the hyphens of a
  /// UUID. Nil for anything else.
  public init?(text: String) {
    var digits = Array(text.lowercased().utf8)
    if digits.count == 36 {
      for place in [23, 18, 13, 8] {
        guard digits.remove(at: place) == UInt8(ascii: "-") else { return nil }
      }
    }
    guard digits.count == 32 else { return nil }
    self.init(hex: String(decoding: digits, as: UTF8.self))
  }

  /// Appends the sixteen bytes.
  public func append(to bytes: inout [UInt8]) {
    withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes.append(contentsOf: $0) }
  }

  public var bytes: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
      for place in 0..<16 { buffer[place] = byte(place) }
      count = 16
    }
  }

  public var hex: String {
    String(unsafeUninitializedCapacity: 32) { buffer in
      for place in 0..<16 {
        buffer[2 &* place] = hexDigit(byte(place) >> 4)
        buffer[2 &* place &+ 1] = hexDigit(byte(place) & 15)
      }
      return 32
    }
  }

  private func byte(_ place: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: (place < 8 ? high : low) >> UInt64(56 &- 8 &* (place & 7)))
  }

  /// Means nothing but that it is always the same.
  public static func < (one: Identifier, other: Identifier) -> Bool {
    one.high == other.high ? one.low < other.low : one.high < other.high
  }
}

extension Array where Element == UInt8 {
  /// Two lower-case hexadecimal digits a byte.
  public var hex: String {
    var digits: [UInt8] = []
    digits.reserveCapacity(count &* 2)
    for byte in self {
      digits.append(hexDigit(byte >> 4))
      digits.append(hexDigit(byte & 15))
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Nil unless `hex` is an even number of lower-case hexadecimal digits.
  public init?(hex: String) {
    guard hex.utf8.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(hex.utf8.count / 2)
    var half: UInt8?
    for digit in hex.utf8 {
      guard let value = hexValue(digit) else { return nil }
      if let high = half {
        bytes.append(high << 4 | value)
        half = nil
      } else {
        half = value
      }
    }
    self = bytes
  }
}

private func hexDigit(_ value: UInt8) -> UInt8 {
  value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &+ (value &- 10)
}

private func hexValue(_ digit: UInt8) -> UInt8? {
  switch digit {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): digit &- UInt8(ascii: "a") &+ 10
  default: nil
  }
}
