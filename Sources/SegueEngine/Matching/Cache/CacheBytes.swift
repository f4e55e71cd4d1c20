import SegueCore

/// Reads numbers and texts from bytes that may be anything: nil where there is none.
struct CacheReader {
  let bytes: [UInt8]
  var place: Int

  init(_ bytes: [UInt8], at place: Int = 0) {
    self.bytes = bytes
    self.place = place
  }

  mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? {
    let size = MemoryLayout<Number>.size
    guard place >= 0, place <= bytes.count - size else { return nil }
    defer { place += size }
    return bytes.withUnsafeBytes {
      Number(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: Number.self))
    }
  }

  /// The number of things that follow, which take a byte each at least.
  mutating func count() -> Int? {
    guard let count = number(UInt32.self), Int(count) <= bytes.count - place else { return nil }
    return Int(count)
  }

  /// The bytes of a text, where they are.
  mutating func range() -> Range<Int>? {
    guard let count = count() else { return nil }
    defer { place += count }
    return place..<place + count
  }

  mutating func text() -> String? { range().flatMap { String(validating: bytes[$0], as: UTF8.self) } }

  /// So many things; nil where one of them is none.
  mutating func list<Item>(_ read: (inout CacheReader) -> Item?) -> [Item]? {
    guard let count = count() else { return nil }
    var items: [Item] = []
    for _ in 0..<count {
      guard let item = read(&self) else { return nil }
      items.append(item)
    }
    return items
  }

  mutating func texts() -> [String]? { list { $0.text() } }
}

/// Writes what `CacheReader` reads.
struct CacheWriter {
  var bytes: [UInt8] = []

  mutating func number<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func count(_ count: Int) { number(UInt32(clamping: count)) }

  mutating func text(_ text: String) {
    count(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  mutating func list<Item>(_ items: some Collection<Item>, _ write: (inout CacheWriter, Item) -> Void) {
    count(items.count)
    for item in items { write(&self, item) }
  }

  mutating func texts(_ texts: some Collection<String>) { list(texts) { $0.text($1) } }
}

/// A hash that finds damage: a byte that differs, or is missing. Whoever can write the file can write the hash too.
func damageHash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
  var hash = UInt64(bytes.count)
  func add(_ word: UInt64) {
    hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
    hash ^= hash >> 29
  }
  bytes.withUnsafeBytes { bytes in
    let words = bytes.count / 8
    for word in 0..<words { add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * word, as: UInt64.self))) }
    for byte in bytes[(8 * words)...] { add(UInt64(byte)) }
  }
  return hash
}
