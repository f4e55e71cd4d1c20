// Half precision by hand: Float16's conversions are library calls that the Embedded build would have to link.

/// A double in the shortest of the three forms that keeps it.
enum CBORFloat: Equatable {
  case half(UInt16)
  case single(UInt32)
  case double(UInt64)

  init(_ value: Double) {
    guard !value.isNaN else {
      self = .half(0x7E00)
      return
    }
    let single = Float(value)
    guard Double(single).bitPattern == value.bitPattern else {
      self = .double(value.bitPattern)
      return
    }
    if let half = Self.half(single.bitPattern) {
      self = .half(half)
    } else {
      self = .single(single.bitPattern)
    }
  }

  var value: Double {
    switch self {
    case .half(let bits): Self.widen(bits)
    case .single(let bits): Double(Float(bitPattern: bits))
    case .double(let bits): Double(bitPattern: bits)
    }
  }

  /// The half with the value of a single that is no NaN; nil if no half has that value.
  private static func half(_ bits: UInt32) -> UInt16? {
    let sign = UInt16(truncatingIfNeeded: bits >> 16) & 0x8000
    let exponent = Int32(truncatingIfNeeded: bits >> 23 & 0xFF) &- 127
    let fraction = bits & 0x7F_FFFF
    switch exponent {
    case -127 where fraction == 0: return sign
    case 128 where fraction == 0: return sign | 0x7C00
    case -14...15 where fraction & 0x1FFF == 0:
      return sign | UInt16(truncatingIfNeeded: (exponent &+ 15) << 10) | UInt16(truncatingIfNeeded: fraction >> 13)
    case -24 ... -15:
      // A subnormal half counts in units of 2^-24; the single is `units` of 2^(exponent - 23).
      let units = fraction | 0x80_0000
      let shift = UInt32(truncatingIfNeeded: -1 &- exponent)
      guard units & ((1 << shift) &- 1) == 0 else { return nil }
      return sign | UInt16(truncatingIfNeeded: units >> shift)
    default: return nil
    }
  }

  private static func widen(_ half: UInt16) -> Double {
    let sign = UInt64(half & 0x8000) << 48
    let exponent = UInt64(half >> 10 & 31)
    let fraction = UInt64(half & 0x3FF)
    switch exponent {
    case 0:
      let magnitude = Double(fraction) * 0x1p-24
      return Double(bitPattern: magnitude.bitPattern | sign)
    case 31: return Double(bitPattern: sign | 0x7FF0_0000_0000_0000 | fraction << 42)
    default: return Double(bitPattern: sign | (exponent &+ 1008) << 52 | fraction << 42)
    }
  }
}
