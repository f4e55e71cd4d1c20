import SegueCore

/// Values that a property is tried with: ordinary ones, which most take, and those from the ends of its type, which a
/// function of another type would cut.
enum Samples {
  static func of(_ type: PluginType) -> [Value] {
    let values = type.isData ? data : type.isArray ? arrays(of: elements(type.element)) : elements(type.element)
    guard type.isOptional, let first = values.first else { return values }
    // Absent, and there again.
    return values + [.null, first]
  }

  private static let data: [Value] = [.data([1, 2, 3]), .data([]), .data(Array(0...255))]

  private static func arrays(of elements: [Value]) -> [Value] {
    [
      .array(Array(elements.prefix(3))), .array([]), .array(Array(elements.filter { $0 != .integer(0) }.prefix(4))),
      .array(Array(elements.prefix(1))), .array(elements),
    ]
  }

  private static func elements(_ element: PluginType.Element) -> [Value] {
    if let range = element.range {
      // The bytes of each differ, so that what is left of it in fewer is another number.
      let numbers: [Int64] = [
        1, 2, 100, 0, -7, 0x0105, 0x0001_0005, 0x0102_0304, 0x0000_0001_0000_0005, 0x0102_0304_0506_0708,
        range.lowerBound, range.upperBound,
      ]
      return numbers.filter { range.contains($0) }.map { .integer($0) }
    }
    switch element {
    case .bool: return [.bool(true), .bool(false), .bool(true)]
    case .float: return [0.5, 1, 0.25, 2.5, -1.5, 0, 1e30].map { .double($0) }
    // 0.1 is another number in single precision.
    case .double: return [0.5, 1, 0.25, 2.5, -1.5, 0, 0.1, 1e300].map { .double($0) }
    case .date: return [1_000_000_000, 1_700_000_000.5, -1].map { .date($0) }
    case .url:
      return [
        "https://example.org/sample?q=1#part", "file:///tmp/sample%20text.txt", "https://example.org/" + long,
      ].map { .url($0) }
    case .value:
      return [
        .dictionary([.string("name"): .string("sample")]), .string("sample"), .integer(42), .bool(true),
        .array([.integer(1), .string("two")]), .null, .dictionary([:]),
      ]
    default: return ["sample", "Ein Käse “für” 2 €", "", long].map { .string($0) }
    }
  }

  private static let long = String(repeating: "long", count: 100)
}

extension Value {
  /// Whether a getter that gives `other` gives what was set, as far as the type can.
  func isHeld(as other: Value, of type: PluginType) -> Bool {
    // A list of nothing may be no list.
    if type.isOptional, type.isArray, isEmpty, other.isEmpty { return true }
    guard type.element == .float else { return self == other }
    if case .array(let values) = self, case .array(let others) = other, values.count == others.count {
      return zip(values, others).allSatisfy { $0.inSinglePrecision == $1.inSinglePrecision }
    }
    if case .null = self { return self == other }
    return inSinglePrecision == other.inSinglePrecision
  }

  private var isEmpty: Bool {
    switch self {
    case .null, .array([]), .data([]): true
    default: false
    }
  }

  private var inSinglePrecision: Float? { number.map { Float($0) } }

  /// Whether `other` is what is left of this in an integer of fewer bits, and no end of a range that it was brought to.
  func isCut(to other: Value) -> Bool {
    if case .array(let values) = self, case .array(let others) = other, values.count == others.count {
      return zip(values, others).contains { $0.isCut(to: $1) }
    }
    guard case .integer(let whole) = self, case .integer(let part) = other, whole != part else { return false }
    let narrower: [PluginType.Element] = [.int8, .uint8, .int16, .uint16, .int32, .uint32]
    let ends = narrower.compactMap { $0.range }.flatMap { [$0.lowerBound, $0.upperBound] }
    guard part != -1, !ends.contains(part) else { return false }
    return [
      Int64(Int8(truncatingIfNeeded: whole)), Int64(UInt8(truncatingIfNeeded: whole)),
      Int64(Int16(truncatingIfNeeded: whole)), Int64(UInt16(truncatingIfNeeded: whole)),
      Int64(Int32(truncatingIfNeeded: whole)), Int64(UInt32(truncatingIfNeeded: whole)),
    ].contains(part)
  }

  /// For a message.
  var shown: String {
    switch self {
    case .null: "nothing"
    case .bool(let bool): bool ? "true" : "false"
    case .integer(let integer): String(integer)
    case .double(let double): String(double)
    case .date(let seconds): "the date \(seconds)"
    case .string(let text): Self.quoted(text)
    case .url(let text): Self.quoted(text)
    case .data(let bytes): "\(bytes.count) bytes"
    case .array(let values): values.count > 4 ? "\(values.count) elements" : Self.list(values)
    default: kind.name
    }
  }

  private static func quoted(_ text: String) -> String { "\"\(DisplayText.clean(text, maximum: Limits.shownName))\"" }

  private static func list(_ values: [Value]) -> String { "[\(values.map { $0.shown }.joined(separator: ", "))]" }
}
