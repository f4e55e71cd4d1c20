/// A value that userInfo may hold (semantics C3): plain data that means the same on every device.
///
/// Not `indirect`: the containers are references already, and a box for each integer would cost an allocation.
public enum Value: Sendable {
  /// Nothing.
  case null
  /// True or false.
  case bool(Bool)
  /// A signed integer.
  case integer(Int64)
  /// A floating-point number; never equal to an `integer`, not even when both are 1.
  case double(Double)
  /// Text. Equality is that of its UTF-8 bytes.
  case string(String)
  /// Bytes.
  case data([UInt8])
  /// A point in time, in seconds since 1970-01-01 00:00 UTC. It is encoded only if it is finite.
  case date(Double)
  /// A URL of any scheme. It is encoded only if `isURL` accepts it.
  case url(String)
  /// A UUID.
  case uuid(Identifier)
  /// Values in order.
  case array([Value])
  /// Different values, in no order.
  case set(Set<Value>)
  /// Values by key. A key is neither array, set nor dictionary.
  case dictionary([Value: Value])
}

extension Value {
  /// The cases of `Value`, without what they hold. The numbers are stable: the C ABI shows them.
  public enum Kind: Int32, Sendable {
    /// The case of the same name in `Value`.
    case null, bool, integer, double, string, data, date, url, uuid, array, set, dictionary
  }

  /// Which case this is.
  public var kind: Kind {
    switch self {
    case .null: .null
    case .bool: .bool
    case .integer: .integer
    case .double: .double
    case .string: .string
    case .data: .data
    case .date: .date
    case .url: .url
    case .uuid: .uuid
    case .array: .array
    case .set: .set
    case .dictionary: .dictionary
    }
  }

  /// Whether the kind may be a dictionary's key.
  public var isKey: Bool {
    switch self {
    case .array, .set, .dictionary: false
    default: true
    }
  }

  /// Whether containers are nested in it more than `limit` deep; looks no deeper than that, however deep it is.
  ///
  /// To be asked before a value from outside is nested deeper, since comparing and freeing a value recurse.
  public func isDeeper(than limit: Int) -> Bool {
    switch self {
    case .array(let values): limit < 1 || values.contains { $0.isDeeper(than: limit &- 1) }
    case .set(let values): limit < 1 || values.contains { $0.isDeeper(than: limit &- 1) }
    case .dictionary(let entries): limit < 1 || entries.contains { $0.value.isDeeper(than: limit &- 1) }
    default: false
    }
  }
}

extension Dictionary where Key == SegueCore.Value, Value == SegueCore.Value {
  /// Adds entries; where a key exists, the new value wins (semantics C4). True if something differs by it. Throws
  /// `limitExceeded`, with nothing changed, where there would be too many.
  public mutating func add(entries new: Self) throws(SegueError) -> Bool {
    // Counted only where it may be too many: most calls add one entry.
    if count &+ new.count > Limits.dictionaryEntries {
      guard count &+ new.keys.count(where: { self[$0] == nil }) <= Limits.dictionaryEntries else {
        throw SegueError(.limitExceeded, "userInfo has at most \(Limits.dictionaryEntries) entries.")
      }
    }
    var differs = false
    for (key, value) in new where self[key] != value {
      self[key] = value
      differs = true
    }
    return differs
  }
}

extension Value {
  /// The boolean, nil for another kind.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The integer, nil for another kind.
  public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  /// The value of a `.double`, or of an integer that a double holds exactly.
  public var number: Double? { double ?? integer.flatMap { Double(exactly: $0) } }
  /// The double, nil for another kind.
  public var double: Double? { if case .double(let value) = self { value } else { nil } }
  /// The text, nil for another kind.
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The bytes, nil for another kind.
  public var data: [UInt8]? { if case .data(let value) = self { value } else { nil } }
  /// The seconds since 1970, nil for another kind.
  public var date: Double? { if case .date(let value) = self { value } else { nil } }
  /// The URL, nil for another kind.
  public var url: String? { if case .url(let value) = self { value } else { nil } }
  /// The UUID, nil for another kind.
  public var uuid: Identifier? { if case .uuid(let value) = self { value } else { nil } }
  /// The elements, nil for another kind.
  public var array: [Value]? { if case .array(let value) = self { value } else { nil } }
  /// The members, nil for another kind.
  public var set: Set<Value>? { if case .set(let value) = self { value } else { nil } }
  /// The entries, nil for another kind.
  public var dictionary: [Value: Value]? { if case .dictionary(let value) = self { value } else { nil } }
}
