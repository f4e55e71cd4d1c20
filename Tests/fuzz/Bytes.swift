/// An input that is read piece by piece, as choices. Past its end every choice is the first one.
struct Bytes {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isEmpty: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  mutating func bool() -> Bool { byte() & 1 == 1 }

  /// A number below `count`, which is at most 256.
  mutating func below(_ count: Int) -> Int { Int(byte()) % count }

  mutating func one<T>(of all: [T]) -> T { all[below(all.count)] }

  /// Nil if `all` is empty.
  mutating func any<T>(of all: [T]) -> T? { all.isEmpty ? nil : one(of: all) }

  /// Small numbers, powers of two and their neighbours, and any other number.
  mutating func number() -> UInt64 {
    let byte = byte()
    switch byte >> 6 {
    case 0, 1: return UInt64(byte)
    case 2: return (1 << UInt64(byte & 63)) &- UInt64(self.byte() & 1)
    default: return (0..<8).reduce(0) { number, _ in number << 8 | UInt64(self.byte()) }
    }
  }

  /// As many as a byte says, or all the rest.
  mutating func bytes() -> [UInt8] {
    let count = Int(byte())
    return count == 255 ? all() : take(count)
  }

  mutating func take(_ count: Int) -> [UInt8] {
    let taken = rest.prefix(count)
    rest = rest.dropFirst(count)
    return Array(taken)
  }

  mutating func all() -> [UInt8] { take(rest.count) }

  mutating func text() -> String { String(decoding: bytes(), as: UTF8.self) }
}
