extension Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// `nil` is `null`.
  public init(nilLiteral: ()) { self = .null }
  /// `true` is a `bool`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// `1` is an `integer`.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// `1.0` is a `double`.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// `"a"` is a `string`.
  public init(stringLiteral value: String) { self = .string(value) }
  /// `[1, 2]` is an `array`.
  public init(arrayLiteral elements: Value...) { self = .array(elements) }
  /// `["a": 1]` is a `dictionary`; of two equal keys the later one wins.
  public init(dictionaryLiteral elements: (Value, Value)...) {
    var entries: [Value: Value] = [:]
    for (key, value) in elements { entries[key] = value }
    self = .dictionary(entries)
  }
}
