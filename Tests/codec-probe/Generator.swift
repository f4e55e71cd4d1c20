import SegueCore

/// Random values, the same for the same seed (SplitMix64).
struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func value(depth: Int) -> Value {
    // Containers get rarer with depth, so that every value ends.
    guard depth < 8, below(4 + 2 * depth) < 3 else { return scalar() }
    let count = below(8)
    switch below(3) {
    case 0: return .array((0..<count).map { _ in value(depth: depth + 1) })
    case 1: return .set(Set((0..<count).map { _ in value(depth: depth + 1) }))
    default:
      var entries: [Value: Value] = [:]
      for _ in 0..<count { entries[scalar()] = value(depth: depth + 1) }
      return .dictionary(entries)
    }
  }

  private mutating func scalar() -> Value {
    switch below(9) {
    case 0: return .null
    case 1: return .bool(below(2) == 0)
    case 2: return .integer(integer())
    case 3: return .double(double())
    case 4: return .string(text())
    case 5: return .data((0..<below(40)).map { _ in UInt8(truncatingIfNeeded: next()) })
    case 6:
      let seconds = below(2) == 0 ? Double(integer()) : double()
      return .date(seconds.isFinite ? seconds : 0)
    case 7:
      // By scalars: a space with an accent is another character.
      let rest = String.UnicodeScalarView(text().unicodeScalars.filter { $0 != " " })
      return .url("x-\(below(100))://" + String(rest))
    default: return .uuid(Identifier(high: next(), low: next()))
    }
  }

  /// All magnitudes alike, and the neighbours of powers of two often.
  private mutating func integer() -> Int64 {
    let shift = UInt64(below(64))
    let bits = below(2) == 0 ? next() >> shift : (1 << shift) &+ UInt64(below(3)) &- 1
    return below(2) == 0 ? Int64(bitPattern: bits) : ~Int64(bitPattern: bits)
  }

  /// Doubles of every width.
  private mutating func double() -> Double {
    switch below(5) {
    case 0: Double(bitPattern: next())
    case 1: Double(Float(bitPattern: UInt32(truncatingIfNeeded: next())))
    case 2: Double(Int16(truncatingIfNeeded: next())) / Double(1 << below(30))
    case 3: [0.0, -0.0, .infinity, -.infinity, .nan, 65504, 65536, 0x1p-24, 0x1p-25, 0x1p53, 0x1p54][below(11)]
    default: Double(integer())
    }
  }

  private mutating func text() -> String {
    var scalars = String.UnicodeScalarView()
    for _ in 0..<below(24) {
      let bound = [0x80, 0x800, 0x1_0000, 0x11_0000][below(4)]
      // Surrogates are no scalars; controls are for other tests, since URLs may not have them.
      guard let scalar = Unicode.Scalar(UInt32(below(bound))), scalar.value >= 0xA0 || (0x20..<0x7F) ~= scalar.value
      else { continue }
      scalars.append(scalar)
    }
    return String(scalars)
  }
}
