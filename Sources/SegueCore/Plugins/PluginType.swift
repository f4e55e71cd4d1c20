/// The type of a property of a plugin's object, as `include/segue/plugin.h` lists them.
public struct PluginType: Hashable, Sendable {
  /// A letter of a signature.
  public enum Element: Sendable, CaseIterable {
    case bool, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float, double, string, url, date, value
  }

  public let element: Element
  /// `aT`; of `uint8` it is data.
  public let isArray: Bool
  /// `mT`.
  public let isOptional: Bool

  public init(_ element: Element, isArray: Bool = false, isOptional: Bool = false) {
    self.element = element
    self.isArray = isArray
    self.isOptional = isOptional
  }

  public var isData: Bool { isArray && element == .uint8 }

  /// Whether a getter may say that there is nothing.
  public var mayBeAbsent: Bool { isOptional || element == .value }

  /// The type as it stands in a signature.
  public var signature: String { (isOptional ? "m" : "") + (isArray ? "a" : "") + element.letter }
}

extension PluginType.Element {
  public init?(letter: UInt8) {
    guard let element = Self.allCases.first(where: { $0.letter.utf8.first == letter }) else { return nil }
    self = element
  }

  public var letter: String {
    switch self {
    case .bool: "b"
    case .int8: "C"
    case .uint8: "y"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .float: "F"
    case .double: "d"
    case .string: "s"
    case .url: "U"
    case .date: "D"
    case .value: "v"
    }
  }

  /// The name that an error gives a value of it.
  public var name: String {
    switch self {
    case .bool: "a bool"
    case .int8: "an int8"
    case .uint8: "a uint8"
    case .int16: "an int16"
    case .uint16: "a uint16"
    case .int32: "an int32"
    case .uint32: "a uint32"
    case .int64: "an int64"
    case .uint64: "a uint64"
    case .float: "a float"
    case .double: "a double"
    case .string: "a string"
    case .url: "a URL"
    case .date: "a date"
    case .value: "a value"
    }
  }

  /// The range of its integers; nil for a type that is no integer. `uint64` has the range that a value can hold.
  public var range: ClosedRange<Int64>? {
    switch self {
    case .int8: -0x80...0x7F
    case .uint8: 0...0xFF
    case .int16: -0x8000...0x7FFF
    case .uint16: 0...0xFFFF
    case .int32: -0x8000_0000...0x7FFF_FFFF
    case .uint32: 0...0xFFFF_FFFF
    case .int64: Int64.min...Int64.max
    case .uint64: 0...Int64.max
    default: nil
    }
  }

  /// Whether there may be arrays of it.
  public var mayBeElement: Bool {
    switch self {
    case .bool, .url, .date, .value: false
    default: true
    }
  }
}

// MARK: Fitting values

extension PluginType {
  /// Why a value cannot be handed over as this type, after the property's key: "300 is beyond a uint8"; nil if it can.
  public func objection(to value: Value) -> String? {
    if case .null = value, isOptional || element == .value { return nil }
    guard isArray else { return element.objection(to: value) }
    if isData {
      guard case .data(let bytes) = value else { return "\(value.kind.name) is not data" }
      return tooLong(bytes.count)
    }
    guard case .array(let values) = value else { return "\(value.kind.name) is not an array" }
    guard values.count <= Limits.pluginElements else {
      return "it has \(values.count) elements, more than \(Limits.pluginElements)"
    }
    for (index, value) in values.enumerated() {
      if let objection = element.objection(to: value) { return "at \(index), \(objection)" }
    }
    return nil
  }
}

extension PluginType.Element {
  fileprivate func objection(to value: Value) -> String? {
    if let range {
      guard case .integer(let integer) = value else { return no(value) }
      return range.contains(integer) ? nil : "\(integer) is beyond \(name)"
    }
    switch (self, value) {
    case (.bool, .bool), (.value, _): return nil
    case (.string, .string(let text)), (.url, .url(let text)):
      return text.utf8.contains(0) ? "its text has a NUL inside" : tooLong(text.utf8.count)
    case (.date, .date(let seconds)): return seconds.isFinite ? nil : "the date is not finite"
    case (.double, .double): return nil
    case (.double, .integer(let integer)): return Double(exactly: integer) == nil ? inexact(integer) : nil
    // A float rounds; only what would become infinite by it is beyond.
    case (.float, .double(let number)):
      return number.isFinite && !Float(number).isFinite ? "\(number) is beyond \(name)" : nil
    case (.float, .integer(let integer)): return Float(exactly: integer) == nil ? inexact(integer) : nil
    default: return no(value)
    }
  }

  private func no(_ value: Value) -> String { "\(value.kind.name) is not \(name)" }
  private func inexact(_ integer: Int64) -> String { "\(integer) is not exactly \(name)" }
}

/// No activity could hold more.
private func tooLong(_ count: Int) -> String? {
  count > Limits.valueLength ? "it has \(count) bytes, more than \(Limits.valueLength)" : nil
}

extension Value.Kind {
  /// The name that an error gives a value of this kind.
  public var name: String {
    switch self {
    case .null: "null"
    case .bool: "a bool"
    case .integer: "an integer"
    case .double: "a double"
    case .string: "a string"
    case .data: "data"
    case .date: "a date"
    case .url: "a URL"
    case .uuid: "a UUID"
    case .array: "an array"
    case .set: "a set"
    case .dictionary: "a dictionary"
    }
  }
}
