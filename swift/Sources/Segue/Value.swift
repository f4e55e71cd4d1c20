import Foundation

/// A value of an activity's `userInfo`: what travels between devices.
///
/// Limits, beyond which a call throws `SegueError`: 16 levels, 4,096 values, 256 entries in a dictionary, 128 bytes in a
/// string that is a key, 64 KiB in a string or data (segue/value.h).
public enum Value: Sendable, Hashable {
  /// No value, which is another thing than no entry.
  case null
  /// True or false.
  case bool(Bool)
  /// An integer of 64 bits with a sign.
  case integer(Int64)
  /// A number with a fraction.
  case double(Double)
  /// Text, without a NUL.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A point in time; it must be finite.
  case date(Date)
  /// Only a URL, not a string, arrives as that of the same file on the other device, where it names one in a container.
  case url(URL)
  /// An identifier.
  case uuid(UUID)
  /// Values in their order.
  case array([Value])
  /// Values without an order, each once.
  case set(Set<Value>)
  /// Its keys may be any kind but an array, a set and a dictionary.
  case dictionary([Value: Value])
}

extension Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: Value...) { self = .array(elements) }
  /// The later one of two elements with one key counts.
  public init(dictionaryLiteral elements: (Value, Value)...) {
    self = .dictionary(Dictionary(elements) { _, last in last })
  }
}

extension Value {
  /// The value, where it is of that kind; nil otherwise.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// An integer that fits, or a double without a fraction.
  public var int: Int? {
    switch self {
    case .integer(let value): Int(exactly: value)
    case .double(let value): Int(exactly: value)
    default: nil
    }
  }
  /// A double, or an integer that a double holds exactly.
  public var double: Double? {
    switch self {
    case .double(let value): value
    case .integer(let value): Double(exactly: value)
    default: nil
    }
  }
  /// The text of a string; nil for other kinds.
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The bytes of data; nil for other kinds.
  public var data: Data? { if case .data(let value) = self { value } else { nil } }
  /// The point in time of a date; nil for other kinds.
  public var date: Date? { if case .date(let value) = self { value } else { nil } }
  /// The URL of a URL, not of a string; nil for other kinds.
  public var url: URL? { if case .url(let value) = self { value } else { nil } }
  /// The identifier of a UUID; nil for other kinds.
  public var uuid: UUID? { if case .uuid(let value) = self { value } else { nil } }
  /// The elements of an array; nil for other kinds.
  public var array: [Value]? { if case .array(let value) = self { value } else { nil } }
  /// The elements of a set; nil for other kinds.
  public var set: Set<Value>? { if case .set(let value) = self { value } else { nil } }
  /// The entries of a dictionary; nil for other kinds.
  public var dictionary: [Value: Value]? { if case .dictionary(let value) = self { value } else { nil } }
}
