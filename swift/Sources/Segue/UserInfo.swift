/// An activity's state: a dictionary, usually with strings as keys.
///
///     activity.userInfo["line"] = .integer(12)
public struct UserInfo: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// All entries, those with other keys than strings too.
  public var entries: [Value: Value]

  /// Makes a state with these entries, whose keys may be of other kinds than strings.
  public init(_ entries: [Value: Value] = [:]) { self.entries = entries }
  /// The later one of two elements with one key counts.
  public init(dictionaryLiteral elements: (Value, Value)...) {
    entries = Dictionary(elements) { _, last in last }
  }

  /// The entry with a string as its key; nil removes it.
  public subscript(key: String) -> Value? {
    get { entries[.string(key)] }
    set { entries[.string(key)] = newValue }
  }

  /// Whether there are no entries.
  public var isEmpty: Bool { entries.isEmpty }
  /// The number of entries.
  public var count: Int { entries.count }

  /// Adds the entries of another one; where a key exists already, the new value wins.
  public mutating func merge(_ other: UserInfo) { entries.merge(other.entries) { _, new in new } }
}
