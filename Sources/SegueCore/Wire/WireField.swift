/// What can be a part of a message.
public protocol WireField {
  /// As it stands in a dictionary.
  var field: Value { get }
  /// Nil for a value of another type, or one that is none of these.
  init?(field: Value)
}

extension WireMessage {
  public var field: Value { .dictionary(WireFields(of: self).entries) }

  public init?(field: Value) {
    guard case .dictionary(let entries) = field else { return nil }
    var fields = WireFields(reading: entries)
    do throws(SegueError) { try self.init(&fields, nil) } catch { return nil }
  }
}

extension Value: WireField {
  public var field: Value { self }
  public init?(field: Value) { self = field }
}

extension Bool: WireField {
  public var field: Value { .bool(self) }
  public init?(field: Value) {
    guard let bool = field.bool else { return nil }
    self = bool
  }
}

/// A number that no message can carry is written as the largest that one can.
extension UInt64: WireField {
  public var field: Value { .integer(Int64(clamping: self)) }
  public init?(field: Value) {
    guard let number = field.integer.flatMap({ UInt64(exactly: $0) }) else { return nil }
    self = number
  }
}

extension Instant: WireField {
  public var field: Value { milliseconds.field }
  public init?(field: Value) {
    guard let milliseconds = UInt64(field: field) else { return nil }
    self.init(milliseconds: milliseconds)
  }
}

extension String: WireField {
  public var field: Value { .string(self) }
  public init?(field: Value) {
    guard let string = field.string else { return nil }
    self = string
  }
}

extension [UInt8]: WireField {
  public var field: Value { .data(self) }
  public init?(field: Value) {
    guard let bytes = field.data else { return nil }
    self = bytes
  }
}

extension Identifier: WireField {
  public var field: Value { .uuid(self) }
  public init?(field: Value) {
    guard let id = field.uuid else { return nil }
    self = id
  }
}

extension WireField where Self: ValidatedName {
  public var field: Value { .string(string) }
  public init?(field: Value) {
    guard let string = field.string else { return nil }
    self.init(string)
  }
}

extension AppID: WireField {}
extension ActivityType: WireField {}

extension LinkAddress: WireField {
  public var field: Value { .string(description) }
  public init?(field: Value) {
    guard let text = field.string else { return nil }
    self.init(text)
  }
}

/// A number from a set of them.
extension WireField where Self: RawRepresentable, RawValue: FixedWidthInteger {
  public var field: Value { .integer(Int64(truncatingIfNeeded: rawValue)) }
  public init?(field: Value) {
    guard let number = field.integer.flatMap({ RawValue(exactly: $0) }) else { return nil }
    self.init(rawValue: number)
  }
}

extension SegueError.Code: WireField {}
extension InstalledApplication.Tier: WireField {}
