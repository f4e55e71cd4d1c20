/// Writes values; `CBOR` says in which form.
struct CBOREncoder {
  private(set) var bytes: [UInt8] = []
  private(set) var largestKey: Value?
  /// Where the largest entry is until its dictionary is put in order; its length afterwards.
  private var largest = 0..<0
  private var nodes = 0
  /// Where entries are put in order; kept, so that not every dictionary allocates one.
  private var scratch: [UInt8] = []

  /// Bytes of the largest entry at the top, key and value together.
  var largestEntry: Int { largest.count }

  init() { bytes.reserveCapacity(512) }

  /// - Parameter depth: The containers around `value`.
  mutating func encode(_ value: Value, depth: Int, isKey: Bool = false) throws(CBORFailure) {
    nodes &+= 1
    guard nodes <= Limits.valueNodes else { throw CBORFailure(.limitExceeded, "is past value \(Limits.valueNodes)") }
    switch value {
    case .null: bytes.append(0xF6)
    case .bool(let value): bytes.append(value ? 0xF5 : 0xF4)
    case .integer(let value): append(integer: value)
    case .double(let value): append(float: value)
    case .string(let value): try append(text: value, isKey: isKey)
    case .data(let value):
      try check(length: value.count, isKey: isKey)
      append(CBORMajor.bytes, UInt64(value.count))
      bytes.append(contentsOf: value)
    case .date(let value):
      guard value.isFinite else { throw CBORFailure(.invalidArgument, "is a date that is not finite") }
      append(CBORMajor.tag, CBORTag.date)
      if let seconds = integralSeconds(value) { append(integer: seconds) } else { append(float: value) }
    case .url(let value):
      guard Value.isURL(value) else { throw CBORFailure(.invalidArgument, "is not a URL with a scheme") }
      append(CBORMajor.tag, CBORTag.url)
      try append(text: value, isKey: isKey)
    case .uuid(let value):
      append(CBORMajor.tag, CBORTag.uuid)
      append(CBORMajor.bytes, 16)
      append(bigEndian: value.high, count: 8)
      append(bigEndian: value.low, count: 8)
    case .array, .set, .dictionary:
      guard !isKey else { throw CBORFailure(.invalidArgument, "is a container, which cannot be a key") }
      guard depth < Limits.valueDepth else {
        throw CBORFailure(.limitExceeded, "is a container inside \(Limits.valueDepth) others")
      }
      try append(container: value, depth: depth)
    }
  }

  private mutating func append(container: Value, depth: Int) throws(CBORFailure) {
    switch container {
    case .array(let values):
      append(CBORMajor.array, UInt64(values.count))
      var index = 0
      for value in values {
        do throws(CBORFailure) {
          try encode(value, depth: depth &+ 1)
        } catch {
          throw error.inside("\(index)")
        }
        index &+= 1
      }
    case .set(let values):
      append(CBORMajor.tag, CBORTag.set)
      append(CBORMajor.array, UInt64(values.count))
      var members: [Range<Int>] = []
      members.reserveCapacity(values.count)
      for value in values {
        let start = bytes.count
        do throws(CBORFailure) {
          try encode(value, depth: depth &+ 1)
        } catch {
          throw error.inside("a member")
        }
        members.append(start..<bytes.count)
      }
      order(&members)
    case .dictionary(let entries):
      guard entries.count <= Limits.dictionaryEntries else {
        throw CBORFailure(
          .limitExceeded, "has \(entries.count) entries, more than \(Limits.dictionaryEntries)")
      }
      try append(entries: entries, depth: depth)
    default: break
    }
  }

  private mutating func append(entries: [Value: Value], depth: Int) throws(CBORFailure) {
    append(CBORMajor.map, UInt64(entries.count))
    var ranges: [Range<Int>] = []
    ranges.reserveCapacity(entries.count)
    for (key, value) in entries {
      let start = bytes.count
      do throws(CBORFailure) {
        try encode(key, depth: depth, isKey: true)
      } catch {
        throw error.inside("key \(key.inPath)")
      }
      do throws(CBORFailure) {
        try encode(value, depth: depth &+ 1)
      } catch {
        throw error.inside(key.inPath)
      }
      ranges.append(start..<bytes.count)
      if depth == 0 { note(key, start) }
    }
    order(&ranges)
  }

  /// Remembers the entry that ends here if it is the largest so far.
  private mutating func note(_ key: Value, _ start: Int) {
    let entry = start..<bytes.count
    guard entry.count >= largest.count else { return }
    if entry.count == largest.count {
      // A dictionary's order changes with every process; what is told should not.
      guard bytes.withUnsafeBufferPointer({ precedes($0, entry, largest) }) else { return }
    }
    largest = entry
    largestKey = key
  }

  /// Sorts the items at the end of `bytes`. No item is the beginning of another, so entries sort as their keys do.
  private mutating func order(_ items: inout [Range<Int>]) {
    guard let start = items.first?.lowerBound else { return }
    bytes.withUnsafeBufferPointer { bytes in
      items.sort { precedes(bytes, $0, $1) }
    }
    scratch.removeAll(keepingCapacity: true)
    scratch.reserveCapacity(bytes.count &- start)
    for item in items { scratch.append(contentsOf: bytes[item]) }
    bytes.removeLast(bytes.count &- start)
    bytes.append(contentsOf: scratch)
  }

  private mutating func append(text: String, isKey: Bool) throws(CBORFailure) {
    let count = text.utf8.count
    try check(length: count, isKey: isKey)
    append(CBORMajor.text, UInt64(count))
    let start = bytes.count
    bytes.append(contentsOf: text.utf8)
    guard !TextCheck.hasNUL(bytes[start...]) else { throw CBORFailure(.invalidArgument, "has a NUL inside its text") }
  }

  private func check(length: Int, isKey: Bool) throws(CBORFailure) {
    let limit = isKey ? Limits.keyLength : Limits.valueLength
    guard length <= limit else { throw CBORFailure(.limitExceeded, "takes \(length) bytes, more than \(limit)") }
  }

  private mutating func append(integer: Int64) {
    if integer < 0 {
      append(CBORMajor.negative, UInt64(bitPattern: ~integer))
    } else {
      append(CBORMajor.unsigned, UInt64(bitPattern: integer))
    }
  }

  private mutating func append(float: Double) {
    switch CBORFloat(float) {
    case .half(let bits):
      bytes.append(0xF9)
      append(bigEndian: UInt64(bits), count: 2)
    case .single(let bits):
      bytes.append(0xFA)
      append(bigEndian: UInt64(bits), count: 4)
    case .double(let bits):
      bytes.append(0xFB)
      append(bigEndian: bits, count: 8)
    }
  }

  /// An item's first byte, and its argument in as few bytes as possible.
  private mutating func append(_ major: UInt8, _ argument: UInt64) {
    let first = major << 5
    switch argument {
    case 0..<24: bytes.append(first | UInt8(truncatingIfNeeded: argument))
    case 24..<0x100:
      bytes.append(first | 24)
      append(bigEndian: argument, count: 1)
    case 0x100..<0x1_0000:
      bytes.append(first | 25)
      append(bigEndian: argument, count: 2)
    case 0x1_0000..<0x1_0000_0000:
      bytes.append(first | 26)
      append(bigEndian: argument, count: 4)
    default:
      bytes.append(first | 27)
      append(bigEndian: argument, count: 8)
    }
  }

  private mutating func append(bigEndian value: UInt64, count: UInt64) {
    var shift = count &* 8
    while shift > 0 {
      shift &-= 8
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}

/// Whether one range of `bytes` sorts before another, byte by byte.
private func precedes(_ bytes: UnsafeBufferPointer<UInt8>, _ left: Range<Int>, _ right: Range<Int>) -> Bool {
  var a = left.lowerBound
  var b = right.lowerBound
  while a < left.upperBound, b < right.upperBound {
    if bytes[a] != bytes[b] { return bytes[a] < bytes[b] }
    a &+= 1
    b &+= 1
  }
  return a == left.upperBound && b < right.upperBound
}
