// Two values are equal if, and only if, their encodings are the same bytes. Swift's own equality would not do: it
// takes "é" in one and in two scalars for equal and -0.0 for 0.0, and a NaN for different from itself, so that keys
// would vanish on the way.

extension Value: Hashable {
  // Neither is inlined: the collections that hold values would have a copy of each, with all that is in it, in each of
  // their operations.

  /// Equal kind and equal bits; every NaN is the same one.
  @inline(never)
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.double(let left), .double(let right)): left.canonicalBits == right.canonicalBits
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.data(let left), .data(let right)): left == right
    case (.date(let left), .date(let right)): left.canonicalBits == right.canonicalBits
    case (.url(let left), .url(let right)): left.utf8.elementsEqual(right.utf8)
    case (.uuid(let left), .uuid(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.set(let left), .set(let right)): left == right
    case (.dictionary(let left), .dictionary(let right)): left == right
    default: false
    }
  }

  /// Feeds what `==` compares.
  @inline(never)
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind.rawValue)
    switch self {
    case .null: break
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .double(let value), .date(let value): hasher.combine(value.canonicalBits)
    case .string(let value), .url(let value): value.hashBytes(into: &hasher)
    case .data(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .array(let values): hasher.combine(values)
    case .set(let values): hasher.combine(values)
    case .dictionary(let entries): hasher.combine(entries)
    }
  }
}

extension Double {
  /// The bit pattern, with one pattern for every NaN.
  var canonicalBits: UInt64 { isNaN ? 0x7FF8_0000_0000_0000 : bitPattern }
}

extension String {
  public func hashBytes(into hasher: inout Hasher) {
    let hashed: Void? = utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    if hashed == nil {
      for byte in utf8 { hasher.combine(byte) }
    }
    // No byte of UTF-8, so that two strings in a row are told from two others that join to the same bytes.
    hasher.combine(0xFF as UInt8)
  }
}
