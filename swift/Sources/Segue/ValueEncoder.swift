import Foundation

/// Writes an Encodable value as one of userInfo.
struct ValueEncoder {
  static func encode<T: Encodable>(_ value: T) throws -> Value { try EncodingNode([]).encode(value) }
}

/// The value at one place of what is encoded; its containers fill it.
private final class EncodingNode: Encoder {
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private var content = Content.none
  // Beside the case, and not inside it, so that they grow in place: each growth would copy what a case holds.
  private var entries: [(String, EncodingNode)] = []
  private var elements: [EncodingNode] = []

  private enum Content {
    case none
    case single(Value)
    case keyed
    case unkeyed
  }

  init(_ path: [any CodingKey]) { codingPath = path }

  var value: Value {
    switch content {
    case .none: .dictionary([:])
    case .single(let value): value
    case .keyed:
      .dictionary(Dictionary(entries.map { (.string($0.0), $0.1.value) }) { _, last in last })
    case .unkeyed: .array(elements.map { $0.value })
    }
  }

  /// Types that userInfo has of itself are kept; all others encode themselves.
  func encode<T: Encodable>(_ value: T) throws -> Value {
    switch value {
    case let value as Date: return .date(value)
    case let value as Data: return .data(value)
    case let value as URL: return .url(value)
    case let value as UUID: return .uuid(value)
    default:
      try value.encode(to: self)
      return self.value
    }
  }

  func set(_ value: Value) { set(.single(value)) }

  func child(_ key: any CodingKey) -> EncodingNode {
    let node = EncodingNode(codingPath + [key])
    become(.keyed)
    entries.append((key.stringValue, node))
    return node
  }

  func element() -> EncodingNode {
    let node = EncodingNode(codingPath + [Index(count)])
    become(.unkeyed)
    elements.append(node)
    return node
  }

  var count: Int { elements.count }

  /// A container of another kind than the last one replaces what there is; one of the same kind goes on with it.
  private func become(_ kind: Content) {
    switch (content, kind) {
    case (.keyed, .keyed), (.unkeyed, .unkeyed): return
    default: set(kind)
    }
  }

  private func set(_ content: Content) {
    self.content = content
    entries = []
    elements = []
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    become(.keyed)
    return KeyedEncodingContainer(Keyed<Key>(node: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    become(.unkeyed)
    return Unkeyed(node: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(node: self) }
}

/// An integer is 64 bits wide in userInfo.
private func integer<T: BinaryInteger>(_ value: T, _ path: [any CodingKey]) throws -> Value {
  guard let integer = Int64(exactly: value) else {
    throw EncodingError.invalidValue(
      value, .init(codingPath: path, debugDescription: "\(value) does not fit into 64 bits with a sign."))
  }
  return .integer(integer)
}

private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: EncodingNode
  var codingPath: [any CodingKey] { node.codingPath }

  mutating func encodeNil(forKey key: Key) { node.child(key).set(.null) }
  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    let child = node.child(key)
    child.set(try EncodingNode(child.codingPath).encode(value))
  }
  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { node.child(key).container(keyedBy: type) }
  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    node.child(key).unkeyedContainer()
  }
  mutating func superEncoder() -> any Encoder { node.child(Super()) }
  mutating func superEncoder(forKey key: Key) -> any Encoder { node.child(key) }
}

private struct Unkeyed: UnkeyedEncodingContainer {
  let node: EncodingNode
  var codingPath: [any CodingKey] { node.codingPath }
  var count: Int { node.count }

  mutating func encodeNil() { node.element().set(.null) }
  mutating func encode<T: Encodable>(_ value: T) throws {
    let element = node.element()
    element.set(try EncodingNode(element.codingPath).encode(value))
  }
  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    node.element().container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { node.element().unkeyedContainer() }
  mutating func superEncoder() -> any Encoder { node.element() }
}

private struct Single: SingleValueEncodingContainer {
  let node: EncodingNode
  var codingPath: [any CodingKey] { node.codingPath }

  mutating func encodeNil() { node.set(.null) }
  mutating func encode(_ value: Bool) { node.set(.bool(value)) }
  mutating func encode(_ value: String) { node.set(.string(value)) }
  mutating func encode(_ value: Double) { node.set(.double(value)) }
  mutating func encode(_ value: Float) { node.set(.double(Double(value))) }
  mutating func encode(_ value: Int) throws { node.set(try integer(value, codingPath)) }
  mutating func encode(_ value: Int8) throws { node.set(try integer(value, codingPath)) }
  mutating func encode(_ value: Int16) throws { node.set(try integer(value, codingPath)) }
  mutating func encode(_ value: Int32) throws { node.set(try integer(value, codingPath)) }
  mutating func encode(_ value: Int64) throws { node.set(try integer(value, codingPath)) }
  mutating func encode(_ value: UInt) throws { node.set(try integer(value, codingPath)) }
  mutating func encode(_ value: UInt8) throws { node.set(try integer(value, codingPath)) }
  mutating func encode(_ value: UInt16) throws { node.set(try integer(value, codingPath)) }
  mutating func encode(_ value: UInt32) throws { node.set(try integer(value, codingPath)) }
  mutating func encode(_ value: UInt64) throws { node.set(try integer(value, codingPath)) }
  mutating func encode<T: Encodable>(_ value: T) throws { node.set(try EncodingNode(codingPath).encode(value)) }
}

/// The key of an element.
struct Index: CodingKey {
  let intValue: Int?
  var stringValue: String { "\(intValue ?? 0)" }
  init(_ index: Int) { intValue = index }
  init?(intValue: Int) { self.init(intValue) }
  init?(stringValue: String) { nil }
}

struct Super: CodingKey {
  var stringValue: String { "super" }
  var intValue: Int? { nil }
  init() {}
  init?(stringValue: String) { nil }
  init?(intValue: Int) { nil }
}
