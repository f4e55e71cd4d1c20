import SegueBus
import SegueCore

// The values that org.segue.Control1 carries as a{sv}. The daemon writes them and user interfaces read them; both use
// the same description, so that each key is written in the source once. Other records on the bus are `BusRecord`s; in
// these ones each attribute has a usual value, and one of another type is an error.

/// A value that crosses the bus as `a{sv}`.
public protocol ControlValue: BusField, Equatable, Sendable {
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
  public mutating func callAsFunction<T: BusField>(_ key: String, _ value: inout T, isNeeded: Bool = false) {
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
  public mutating func callAsFunction<T: BusField>(_ key: String, _ value: inout T?) {
    guard isReading else {
      if let value { dictionary[key] = value.busValue }
      return
    }
    guard let said = dictionary[key] else { return }
    value = T.of(busValue: said)
    if value == nil {
      error = error ?? SegueError(.invalidArgument, "The attribute \"\(key)\" has another type than \(T.signature).")
    }
  }
}

extension ControlValue {
  public static var signature: String { "a{sv}" }
  public var busValue: BusValue { .dictionary(dictionary) }
  public static func of(busValue: BusValue) -> Self? { busValue.asDictionary.flatMap { try? Self($0) } }
}
