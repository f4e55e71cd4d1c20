import SegueCore

/// A type that the bus has a type for: what an attribute of an `a{sv}` can be.
public protocol BusField {
  static var signature: String { get }
  var busValue: BusValue { get }
  /// Nil if the value has another type.
  init?(busValue: BusValue)
}

extension String: BusField {
  public static var signature: String { "s" }
  public var busValue: BusValue { .string(self) }
  public init?(busValue: BusValue) {
    guard let string = busValue.asString else { return nil }
    self = string
  }
}

extension Bool: BusField {
  public static var signature: String { "b" }
  public var busValue: BusValue { .bool(self) }
  public init?(busValue: BusValue) {
    guard let bool = busValue.asBool else { return nil }
    self = bool
  }
}

extension UInt32: BusField {
  public static var signature: String { "u" }
  public var busValue: BusValue { .uint32(self) }
  public init?(busValue: BusValue) {
    guard let number = busValue.asUInt32 else { return nil }
    self = number
  }
}

extension UInt64: BusField {
  public static var signature: String { "t" }
  public var busValue: BusValue { .uint64(self) }
  public init?(busValue: BusValue) {
    guard let number = busValue.asUInt64 else { return nil }
    self = number
  }
}

/// A list. It is read as a whole: if one element cannot be understood, the list cannot.
extension Array: BusField where Element: BusField {
  public static var signature: String { "a" + Element.signature }
  public var busValue: BusValue { .array(elementSignature: Element.signature, map { $0.busValue }) }
  public init?(busValue: BusValue) {
    guard case .array(Element.signature, let values) = busValue else { return nil }
    self = values.compactMap { Element(busValue: $0) }
    guard count == values.count else { return nil }
  }
}

/// A word from a fixed set.
extension BusField where Self: RawRepresentable, RawValue == String {
  public static var signature: String { "s" }
  public var busValue: BusValue { .string(rawValue) }
  public init?(busValue: BusValue) {
    guard let word = busValue.asString else { return nil }
    self.init(rawValue: word)
  }
}

/// A text that a rule has accepted.
extension BusField where Self: ValidatedName {
  public static var signature: String { "s" }
  public var busValue: BusValue { .string(string) }
  public init?(busValue: BusValue) {
    guard let text = busValue.asString else { return nil }
    self.init(text)
  }
}

extension AppID: BusField {}
extension ActivityType: BusField {}

extension Identifier: BusField {
  public static var signature: String { "s" }
  public var busValue: BusValue { .string(hex) }
  public init?(busValue: BusValue) {
    guard let text = busValue.asString else { return nil }
    self.init(hex: text)
  }
}
