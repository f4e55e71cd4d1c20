import SegueCore

/// The dictionaries that cross the bus as `a{sv}`, described once for both ways, so that each key stands in the source once.
public protocol BusRecord {
  /// Names the key of each attribute. `own` is what is written, and nil where attributes are read.
  init(_ fields: inout BusFields, _ own: Self?) throws(SegueError)
}

extension BusRecord {
  public var dictionary: BusDictionary {
    var fields = BusFields()
    // Writing finds every attribute, so that it never throws.
    _ = try? Self(&fields, self)
    return fields.dictionary
  }

  /// Throws where an attribute is missing, malformed or too long. Unknown keys are ignored: a later version may have more.
  public init(_ dictionary: BusDictionary) throws(SegueError) {
    var fields = BusFields(reading: dictionary)
    try self.init(&fields, nil)
  }
}

/// A record of which each attribute may be absent.
public protocol BusOptions: BusRecord {
  init(_ fields: inout BusFields, _ own: Self?)
}

extension BusOptions {
  public init(_ dictionary: BusDictionary) {
    var fields = BusFields(reading: dictionary)
    self.init(&fields, nil)
  }

  /// A value of another type counts as an empty dictionary.
  public init(of argument: BusValue?) { self.init(argument?.asDictionary ?? BusDictionary()) }
}

/// The attributes of one record while they are written to a dictionary, or read from one.
///
/// Each call names a key and what the record has for it: writes that, or reads it, and returns it. An attribute of another
/// type counts as absent. Bounds are those of what is read.
public struct BusFields {
  public private(set) var dictionary: BusDictionary
  public let isReading: Bool

  /// For writing.
  public init() { (dictionary, isReading) = (BusDictionary(), false) }

  public init(reading dictionary: BusDictionary) { (self.dictionary, isReading) = (dictionary, true) }

  /// An attribute of any type.
  public mutating func value(_ key: String, _ own: BusValue?) -> BusValue? {
    if isReading { return dictionary[key] }
    if let own { dictionary[key] = own }
    return own
  }

  /// An attribute that may be absent.
  public mutating func callAsFunction<T: BusField>(_ key: String, _ own: T?) -> T? {
    guard let value = value(key, own?.busValue) else { return nil }
    return isReading ? T.of(busValue: value) : own
  }

  /// An attribute that is always written, and has a usual value where it is absent.
  public mutating func callAsFunction<T: BusField>(_ key: String, _ own: T?, or usual: T) -> T {
    self(key, own) ?? usual
  }

  /// A flag, which is written only where it is set.
  public mutating func flag(_ key: String, _ own: Bool?) -> Bool { self(key, own == true ? true : nil) ?? false }

  /// Text that may be absent, of so many bytes at most.
  public mutating func text(_ key: String, _ own: String?, _ limit: Int) throws(SegueError) -> String? {
    guard let value = value(key, own.map { .string($0) }), isReading else { return own }
    guard let string = value.asString, string.utf8.count <= limit else {
      throw SegueError(.invalidArgument, "An attribute is not text, or longer than \(limit) bytes.")
    }
    return string
  }
}
