/// Text as a key, or a member of a set: only the same bytes are the same. For paths, and for what files, other programs
/// and other devices name.
public struct ExactText: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The text.
  public let string: String

  /// That text.
  public init(_ string: String) { self.string = string }

  /// That text.
  public init(stringLiteral string: String) { self.string = string }

  /// Whether the bytes are the same.
  public static func == (left: ExactText, right: ExactText) -> Bool { left.string.isSame(as: right.string) }

  /// Feeds the bytes.
  public func hash(into hasher: inout Hasher) { string.hashBytes(into: &hasher) }
}

/// A set of texts that differ by their bytes.
public typealias TextSet = Set<ExactText>

extension Set where Element == ExactText {
  /// The set of these texts, each once.
  public init(of texts: some Sequence<String>) { self = Set(texts.map { ExactText($0) }) }

  /// Whether a text is in it.
  public func contains(_ text: String) -> Bool { contains(ExactText(text)) }

  /// Adds a text; whether it was not in it before.
  @discardableResult
  public mutating func insert(_ text: String) -> Bool { insert(ExactText(text)).inserted }

  /// Takes a text out.
  public mutating func remove(_ text: String) { remove(ExactText(text)) }

  /// The texts, in order.
  public var texts: [String] { map { $0.string }.sorted() }
}

/// Values by texts that differ by their bytes.
public struct TextMap<Value>: ExpressibleByDictionaryLiteral {
  private var entries: [ExactText: Value] = [:]

  /// The values by those texts. The last value of a repeated text counts.
  public init(dictionaryLiteral pairs: (String, Value)...) {
    for (text, value) in pairs { entries[ExactText(text)] = value }
  }

  /// How many there are.
  public var count: Int { entries.count }
  /// Whether there is none.
  public var isEmpty: Bool { entries.isEmpty }
  /// The texts, in no order.
  public var keys: [String] { entries.keys.map { $0.string } }
  /// The values, in no order.
  public var values: [Value] { Array(entries.values) }
  /// All of it, in no order.
  public var pairs: [(key: String, value: Value)] { entries.map { ($0.key.string, $0.value) } }

  /// A text's value.
  public subscript(text: String) -> Value? {
    get { entries[ExactText(text)] }
    set { entries[ExactText(text)] = newValue }
  }

  /// Sets a text's value; the former one.
  @discardableResult
  public mutating func updateValue(_ value: Value, forKey text: String) -> Value? {
    entries.updateValue(value, forKey: ExactText(text))
  }

  /// Takes a text's value out.
  @discardableResult
  public mutating func removeValue(forKey text: String) -> Value? { entries.removeValue(forKey: ExactText(text)) }
}

extension TextMap: Sendable where Value: Sendable {}
extension TextMap: Equatable where Value: Equatable {}
