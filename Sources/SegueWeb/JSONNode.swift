/// A value in a JSON document, with the line on which it begins, for messages to the one who wrote it.
public struct JSONNode: Equatable, Sendable {
  public enum Value: Equatable, Sendable {
    case null
    case bool(Bool)
    /// The number as it is written.
    case number(String)
    case string(String)
    case array([JSONNode])
    case object([JSONMember])
  }

  public var value: Value
  /// The line, counted from 1.
  public var line: Int

  public init(_ value: Value, line: Int) {
    self.value = value
    self.line = line
  }

  /// The kind of value, as text that follows "is".
  var kind: String {
    switch value {
    case .null: "null"
    case .bool: "a Boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// A key of an object and its value.
public struct JSONMember: Equatable, Sendable {
  public var key: String
  public var node: JSONNode
}
