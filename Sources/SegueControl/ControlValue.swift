import SegueBus
import SegueCore

// The values that org.segue.Control1 carries as a{sv}. The daemon writes them and user interfaces read them; both use
// the same description, so that each key is written in the source once.

/// An attribute's type on the bus.
public protocol ControlField {
  static var signature: String { get }
  var busValue: BusValue { get }
  /// Nil if the value has another type.
  init?(busValue: BusValue)
}

/// A value that crosses the bus as `a{sv}`.
public protocol ControlValue: ControlField, Equatable, Sendable {
  /// An empty value, into which a dictionary is read.
  init()
  /// Names the key of each attribute. `fields` reads the attribute from a dictionary, or writes it to one.
  mutating func carry(_ fields: inout ControlFields)
  /// Removes what only the private door may carry, since every process of the user can watch the session bus.
  mutating func conceal()
}

extension ControlValue {
  public mutating func conceal() {}

  public var dictionary: BusDictionary {
    var copy = self
    var fields = ControlFields()
    copy.carry(&fields)
    return fields.dictionary
  }

  /// Throws `invalidArgument` if a required attribute is missing, or one has another type. Unknown keys are ignored: a
  /// later version may have more.
  public init(_ dictionary: BusDictionary) throws(SegueError) {
    self.init()
    var fields = ControlFields(reading: dictionary)
    carry(&fields)
    if let error = fields.error { throw error }
  }
}

/// The attributes of one value while they are written to a dictionary, or read from one.
public struct ControlFields {
  private(set) var dictionary: BusDictionary
  private(set) var error: SegueError?
  private let isReading: Bool

  /// For writing.
  init() {
    dictionary = BusDictionary()
    isReading = false
  }

  init(reading dictionary: BusDictionary) {
    self.dictionary = dictionary
    isReading = true
  }

  /// An attribute that is always written. If another version has left it out, the value stays as it was; a required
  /// attribute must be there.
  public mutating func callAsFunction<T: ControlField>(_ key: String, _ value: inout T, isNeeded: Bool = false) {
    guard isReading else {
      dictionary[key] = value.busValue
      return
    }
    var read: T?
    self(key, &read)
    if let read {
      value = read
    } else if isNeeded {
      error = error ?? SegueError(.invalidArgument, "The attribute \"\(key)\" is missing.")
    }
  }

  /// An attribute that may be absent.
  public mutating func callAsFunction<T: ControlField>(_ key: String, _ value: inout T?) {
    guard isReading else {
      if let value { dictionary[key] = value.busValue }
      return
    }
    guard let said = dictionary[key] else { return }
    value = T(busValue: said)
    if value == nil {
      error = error ?? SegueError(.invalidArgument, "The attribute \"\(key)\" has another type than \(T.signature).")
    }
  }
}

extension ControlValue {
  public static var signature: String { "a{sv}" }
  public var busValue: BusValue { .dictionary(dictionary) }
  public init?(busValue: BusValue) {
    guard let dictionary = busValue.asDictionary else { return nil }
    do throws(SegueError) { try self.init(dictionary) } catch { return nil }
  }
}

extension String: ControlField {
  public static var signature: String { "s" }
  public var busValue: BusValue { .string(self) }
  public init?(busValue: BusValue) {
    guard let string = busValue.asString else { return nil }
    self = string
  }
}

extension Bool: ControlField {
  public static var signature: String { "b" }
  public var busValue: BusValue { .bool(self) }
  public init?(busValue: BusValue) {
    guard let bool = busValue.asBool else { return nil }
    self = bool
  }
}

extension UInt32: ControlField {
  public static var signature: String { "u" }
  public var busValue: BusValue { .uint32(self) }
  public init?(busValue: BusValue) {
    guard let number = busValue.asUInt32 else { return nil }
    self = number
  }
}

extension UInt64: ControlField {
  public static var signature: String { "t" }
  public var busValue: BusValue { .uint64(self) }
  public init?(busValue: BusValue) {
    guard let number = busValue.asUInt64 else { return nil }
    self = number
  }
}

/// A list. It is read as a whole: if one element cannot be understood, the list cannot.
extension Array: ControlField where Element: ControlField {
  public static var signature: String { "a" + Element.signature }
  public var busValue: BusValue { .array(elementSignature: Element.signature, map { $0.busValue }) }
  public init?(busValue: BusValue) {
    guard case .array(Element.signature, let values) = busValue else { return nil }
    self = values.compactMap { Element(busValue: $0) }
    guard count == values.count else { return nil }
  }
}

/// A word from a fixed set.
extension ControlField where Self: RawRepresentable, RawValue == String {
  public static var signature: String { "s" }
  public var busValue: BusValue { .string(rawValue) }
  public init?(busValue: BusValue) {
    guard let word = busValue.asString else { return nil }
    self.init(rawValue: word)
  }
}
