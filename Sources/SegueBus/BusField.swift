import SegueCore

/// A type that the bus has a type for: what an attribute of an `a{sv}` can be.
public protocol BusField {
  static var signature: String { get }
  var busValue: BusValue { get }
  /// Nil if the value has another type.
  static func of(busValue: BusValue) -> Self?
}

extension String: BusField {
  public static var signature: String { "s" }
  public var busValue: BusValue { .string(self) }
  public static func of(busValue: BusValue) -> String? { busValue.asString }
}

extension Bool: BusField {
  public static var signature: String { "b" }
  public var busValue: BusValue { .bool(self) }
  public static func of(busValue: BusValue) -> Bool? { busValue.asBool }
}

extension UInt32: BusField {
  public static var signature: String { "u" }
  public var busValue: BusValue { .uint32(self) }
  public static func of(busValue: BusValue) -> UInt32? { busValue.asUInt32 }
}

extension UInt64: BusField {
  public static var signature: String { "t" }
  public var busValue: BusValue { .uint64(self) }
  public static func of(busValue: BusValue) -> UInt64? { busValue.asUInt64 }
}

/// A list. It is read as a whole: if one element cannot be understood, the list cannot.
extension Array: BusField where Element: BusField {
  public static var signature: String { "a" + Element.signature }
  public var busValue: BusValue { .array(elementSignature: Element.signature, map { $0.busValue }) }
  public static func of(busValue: BusValue) -> [Element]? {
    guard case .array(Element.signature, let values) = busValue else { return nil }
    let list = values.compactMap { Element.of(busValue: $0) }
    return list.count == values.count ? list : nil
  }
}

/// A word from a fixed set.
extension BusField where Self: RawRepresentable, RawValue == String {
  public static var signature: String { "s" }
  public var busValue: BusValue { .string(rawValue) }
  public static func of(busValue: BusValue) -> Self? { busValue.asString.flatMap { Self(rawValue: $0) } }
}

/// A text that a rule has accepted.
extension BusField where Self: ValidatedName {
  public static var signature: String { "s" }
  public var busValue: BusValue { .string(string) }
  public static func of(busValue: BusValue) -> Self? { busValue.asString.flatMap { Self($0) } }
}

extension AppID: BusField {}
extension ActivityType: BusField {}

extension Identifier: BusField {
  public static var signature: String { "s" }
  public var busValue: BusValue { .string(hex) }
  public static func of(busValue: BusValue) -> Identifier? { busValue.asString.flatMap { Identifier(hex: $0) } }
}
