/// A property of a plugin's object: an entry of userInfo, and what it may be.
public struct PluginProperty: Equatable, Sendable {
  public let key: String
  public let type: PluginType
  /// Without it nothing of the object is restored, nor saved.
  public let isRequired: Bool
  /// Means the same on every device; otherwise it never leaves this one.
  public let isPortable: Bool
  /// As it is written in the metadata and the table.
  public let defaultText: String?
  /// What to set where the entry is missing; nil: nothing, of an optional type null.
  public let defaultValue: Value?

  /// Throws `invalidArgument` for a malformed key, for a default that the type does not have, or that a required
  /// property has.
  public init(
    key: String, type: PluginType, isRequired: Bool, isPortable: Bool, defaultText: String?
  ) throws(SegueError) {
    guard Self.isKey(key) else {
      throw SegueError(
        .invalidArgument, "\(DisplayText.clean(key, maximum: 64)) is no key of a property",
        advice: "A key has 1 to \(Limits.keyLength) bytes, and neither controls nor brackets.")
    }
    self.key = key
    self.type = type
    self.isRequired = isRequired
    self.isPortable = isPortable
    self.defaultText = defaultText
    defaultValue = try defaultText.map { text throws(SegueError) in
      guard !isRequired else {
        throw SegueError(.invalidArgument, "\(key) is required, and has a default all the same")
      }
      guard let value = type.value(of: text), type.objection(to: value) == nil else {
        throw SegueError(
          .invalidArgument, "The default of \(key), \(DisplayText.clean(text, maximum: 64)), is none of its type")
      }
      return value
    }
  }

  /// Group names of the metadata hold keys: no brackets, and nothing that is not shown.
  static func isKey(_ key: String) -> Bool {
    (1...Limits.keyLength).contains(key.utf8.count)
      && !key.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }
  }
}

extension PluginType {
  /// The value that a default's text stands for; nil if it stands for none, or the type has no defaults.
  fileprivate func value(of text: String) -> Value? {
    guard !isArray, !isOptional else { return nil }
    switch element {
    case .string: return .string(text)
    case .url: return Value.isURL(text) ? .url(text) : nil
    case .bool: return text == "true" ? .bool(true) : text == "false" ? .bool(false) : nil
    case .float, .double: return DecimalText.double(text).map { .double($0) }
    case .date, .value: return nil
    default: return DecimalText.integer(text).map { .integer($0) }
    }
  }
}
