import CSegueLibrary
import Foundation

/// A value of the library, alive as long as this object. Values are plain objects there, which one thread at a time may
/// use: each of these is made, read and let go inside one call.
final class CValue {
  private let pointer: OpaquePointer

  init(owning pointer: OpaquePointer) { self.pointer = pointer }
  deinit { segue_value_unref(pointer) }

  /// The value is alive for the call, whether or not this object is used after that.
  @discardableResult
  func with<R>(_ body: (OpaquePointer) throws -> R) rethrows -> R {
    try withExtendedLifetime(self) { try body(pointer) }
  }

  /// Throws where a limit is reached, and for dates and text that the library does not take.
  /// - Parameter path: the keys that lead to the value, for the error.
  static func make(_ value: Value, at path: [String] = []) throws -> CValue {
    func new(_ body: (UnsafeMutablePointer<OpaquePointer?>) throws -> Int32) throws -> CValue {
      var pointer: OpaquePointer?
      try check(body(&pointer), at: path)
      guard let pointer else { throw SegueError(.system, "The library made no value.", at: path) }
      return CValue(owning: pointer)
    }
    // The library refuses more levels only when the value is whole; this keeps the stack small until then.
    guard path.count <= levels else {
      throw SegueError(.limitExceeded, "A value has more than \(levels) levels.", at: path)
    }
    switch value {
    case .null: return try new { segue_value_new_null($0) }
    case .bool(let bool): return try new { segue_value_new_bool(bool, $0) }
    case .integer(let integer): return try new { segue_value_new_integer(integer, $0) }
    case .double(let double): return try new { segue_value_new_double(double, $0) }
    case .date(let date): return try new { segue_value_new_date(date.timeIntervalSince1970, $0) }
    case .string(let string):
      return try new { out in try withText(string, at: path) { segue_value_new_string($0, out) } }
    case .url(let url):
      return try new { out in try withText(url.absoluteString, at: path) { segue_value_new_url($0, out) } }
    case .data(let data):
      return try new { out in data.withUnsafeBytes { segue_value_new_data($0.baseAddress, $0.count, out) } }
    case .uuid(let uuid): return try new { out in withBytes(of: uuid) { segue_value_new_uuid($0, out) } }
    case .array(let elements): return try collect(elements, into: new { segue_value_new_array($0) }, path)
    case .set(let elements): return try collect(Array(elements), into: new { segue_value_new_set($0) }, path)
    case .dictionary(let entries):
      let dictionary = try new { segue_value_new_dictionary($0) }
      for (key, element) in entries {
        let inner = path + [key.pathComponent]
        let (key, element) = (try make(key, at: inner), try make(element, at: inner))
        try dictionary.with { dictionary in
          try key.with { key in try element.with { try check(segue_value_set(dictionary, key, $0), at: inner) } }
        }
      }
      return dictionary
    }
  }

  private static let levels = 16

  private static func collect(_ elements: [Value], into container: CValue, _ path: [String]) throws -> CValue {
    for (index, element) in elements.enumerated() {
      let inner = path + ["\(index)"]
      let element = try make(element, at: inner)
      try container.with { container in try element.with { try check(segue_value_append(container, $0), at: inner) } }
    }
    return container
  }
}

extension Value {
  /// How an error names the key.
  var pathComponent: String {
    switch self {
    case .string(let string): string
    case .integer(let integer): "\(integer)"
    default: "\(self)"
    }
  }

  /// The content of a value of the library; `.null` for a kind that this version does not know.
  init(reading value: OpaquePointer) {
    switch Int(segue_value_get_kind(value)) {
    case SEGUE_VALUE_BOOL: self = .bool(read(false) { segue_value_get_bool(value, $0) })
    case SEGUE_VALUE_INTEGER: self = .integer(read(0) { segue_value_get_integer(value, $0) })
    case SEGUE_VALUE_DOUBLE: self = .double(read(0) { segue_value_get_double(value, $0) })
    case SEGUE_VALUE_DATE: self = .date(Date(timeIntervalSince1970: read(0) { segue_value_get_date(value, $0) }))
    case SEGUE_VALUE_STRING: self = .string(Self.text(value))
    case SEGUE_VALUE_URL:
      let text = Self.text(value)
      // Foundation reads fewer URLs than the library carries.
      self = URL(string: text).map { .url($0) } ?? .string(text)
    case SEGUE_VALUE_DATA:
      var length = 0
      let bytes = read(nil) { segue_value_get_data(value, $0, &length) }
      self = .data(bytes.map { Data(bytes: $0, count: length) } ?? Data())
    case SEGUE_VALUE_UUID:
      self = .uuid(UUID(uuid: readBytes { segue_value_get_uuid(value, $0) }))
    case SEGUE_VALUE_ARRAY: self = .array(Self.elements(value))
    case SEGUE_VALUE_SET: self = .set(Set(Self.elements(value)))
    case SEGUE_VALUE_DICTIONARY: self = .dictionary(Self.entries(value))
    default: self = .null
    }
  }

  private static func text(_ value: OpaquePointer) -> String {
    read(nil) { segue_value_get_string(value, $0) }.map { String(cString: $0) } ?? ""
  }

  private static func count(_ value: OpaquePointer) -> Int { read(0) { segue_value_get_count(value, $0) } }

  private static func elements(_ value: OpaquePointer) -> [Value] {
    (0..<count(value)).compactMap { index in
      read(nil) { segue_value_get_at(value, index, $0) }.map { Value(reading: $0) }
    }
  }

  private static func entries(_ value: OpaquePointer) -> [Value: Value] {
    var entries: [Value: Value] = [:]
    for index in 0..<count(value) {
      var (key, element): (OpaquePointer?, OpaquePointer?)
      guard segue_value_get_entry(value, index, &key, &element) == 0, let key, let element else { continue }
      entries[Value(reading: key)] = Value(reading: element)
    }
    return entries
  }
}
