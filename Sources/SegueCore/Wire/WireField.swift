/// A type that can be a part of a message.
public protocol WireField {
  /// The value that stands for it in a dictionary.
  var field: Value { get }
  /// Nil for a value of another type, or one that is none of these.
  static func of(field: Value) -> Self?
}

extension WireMessage {
  public var field: Value { .dictionary(WireFields(of: self).entries) }
  public static func of(field: Value) -> Self? {
    guard case .dictionary(let entries) = field else { return nil }
    var fields = WireFields(reading: entries)
    return try? Self(&fields, nil)
  }
}

extension Value: WireField {
  public var field: Value { self }
  public static func of(field: Value) -> Value? { .some(field) }
}

extension Bool: WireField {
  public var field: Value { .bool(self) }
  public static func of(field: Value) -> Bool? { field.bool }
}

/// A number that no message can carry is written as the largest that one can.
extension UInt64: WireField {
  public var field: Value { .integer(Int64(clamping: self)) }
  public static func of(field: Value) -> UInt64? { field.integer.flatMap { UInt64(exactly: $0) } }
}

extension Instant: WireField {
  public var field: Value { milliseconds.field }
  public static func of(field: Value) -> Instant? { UInt64.of(field: field).map { Instant(milliseconds: $0) } }
}

extension String: WireField {
  public var field: Value { .string(self) }
  public static func of(field: Value) -> String? { field.string }
}

extension [UInt8]: WireField {
  public var field: Value { .data(self) }
  public static func of(field: Value) -> [UInt8]? { field.data }
}

extension Identifier: WireField {
  public var field: Value { .uuid(self) }
  public static func of(field: Value) -> Identifier? { field.uuid }
}

extension WireField where Self: ValidatedName {
  public var field: Value { .string(string) }
  public static func of(field: Value) -> Self? { field.string.flatMap { Self($0) } }
}

extension AppID: WireField {}
extension ActivityType: WireField {}

extension LinkAddress: WireField {
  public var field: Value { .string(description) }
  public static func of(field: Value) -> LinkAddress? { field.string.flatMap { LinkAddress($0) } }
}

/// A number from a set of them.
extension WireField where Self: RawRepresentable, RawValue: FixedWidthInteger {
  public var field: Value { .integer(Int64(truncatingIfNeeded: rawValue)) }
  public static func of(field: Value) -> Self? {
    field.integer.flatMap { RawValue(exactly: $0) }.flatMap { Self(rawValue: $0) }
  }
}

extension SegueError.Code: WireField {}
extension InstalledApplication.Tier: WireField {}
