/// A property of a plugin's object: an entry of userInfo, and what it may be.
public struct PluginProperty: Equatable, Sendable {
  public let key: String
  public let type: PluginType
  /// Without it nothing of the object is restored, nor saved.
  public let isRequired: Bool
  /// Means the same on every device; otherwise it never leaves this one.
  public let isPortable: Bool
  /// The default as the metadata and the table write it.
  public let defaultText: String?
  public let defaultValue: Value?

  /// Throws `invalidArgument` for a malformed key, for a default that the type does not have, or that a required
  /// property has; to stand after the key.
  public init(
    key: String, type: PluginType, isRequired: Bool, isPortable: Bool, defaultText: String?
  ) throws(SegueError) {
    guard Self.isKey(key) else {
      throw SegueError(
        .invalidArgument, "\(DisplayText.clean(key, maximum: Limits.shownName)) is not a key of a property",
        advice: Self.keyAdvice)
    }
    self.key = key
    self.type = type
    self.isRequired = isRequired
    self.isPortable = isPortable
    self.defaultText = defaultText
    defaultValue = try defaultText.map { text throws(SegueError) in
      guard !isRequired else {
        throw SegueError(.invalidArgument, "it is required, and has a default all the same")
      }
      guard let value = type.value(of: text), type.objection(to: value) == nil else {
        throw SegueError(
          .invalidArgument, "its default, \(DisplayText.clean(text, maximum: Limits.shownName)), is none of its type")
      }
      return value
    }
  }

  /// The value to set where the entry is missing; nil: none is set.
  public var valueWhereMissing: Value? {
    // The null of an optional type is a value to set; nil alone would be taken for it here, too.
    if type.isOptional { return .some(.null) }
    return defaultValue
  }

  static let keyAdvice = "A key has 1 to \(Limits.keyLength) printable ASCII characters, and no brackets."

  /// Whether `key` can be part of a group's name in the metadata.
  static func isKey(_ key: String) -> Bool {
    key.utf8.count <= Limits.keyLength && KeyFileParser.isGroup(key.utf8)
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
