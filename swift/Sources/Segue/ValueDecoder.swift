import Foundation

/// Reads a Decodable value from one of userInfo. A value that does not fit is a `DecodingError` with the key path.
struct ValueDecoder: Decoder {
  let value: Value
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]

  static func decode<T: Decodable>(_ type: T.Type, from value: Value) throws -> T {
    try ValueDecoder(value: value, codingPath: []).decode(type)
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let own: Any? =
      switch type {
      case is Date.Type: value.date
      case is Data.Type: value.data
      case is URL.Type: value.url ?? value.string.flatMap { URL(string: $0) }
      case is UUID.Type: value.uuid
      default: nil
      }
    if let own = own as? T { return own }
    if type is Date.Type || type is Data.Type || type is URL.Type || type is UUID.Type { throw mismatch(type) }
    return try T(from: self)
  }

  func mismatch(_ type: Any.Type) -> DecodingError {
    guard value != .null else {
      return .valueNotFound(type, .init(codingPath: codingPath, debugDescription: "There is null in its place."))
    }
    return .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "The value is of another kind."))
  }

  func require<T>(_ found: T?) throws -> T {
    guard let found else { throw mismatch(T.self) }
    return found
  }

  func integer<T: FixedWidthInteger>() throws -> T {
    let integer = try require(value.int)
    guard let exact = T(exactly: integer) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: codingPath, debugDescription: "\(integer) does not fit into \(T.self)."))
    }
    return exact
  }

  /// Rounded, as other decoders do; what is too large for it would become infinite, and is an error.
  func float() throws -> Float {
    let double = try require(value.double)
    let float = Float(double)
    guard float.isFinite || !double.isFinite else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: codingPath, debugDescription: "\(double) does not fit into Float."))
    }
    return float
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed(entries: try require(value.dictionary), codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    // A set's elements have an order of their own in the encoding, and none here.
    Unkeyed(elements: try require(value.array ?? value.set.map { Array($0) }), codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }
}

private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let entries: [Value: Value]
  let codingPath: [any CodingKey]
  var allKeys: [Key] { entries.keys.compactMap { $0.string.flatMap { Key(stringValue: $0) } } }

  private func decoder(_ key: any CodingKey) throws -> ValueDecoder {
    guard let value = entries[.string(key.stringValue)] else {
      throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "The key is missing."))
    }
    return ValueDecoder(value: value, codingPath: codingPath + [key])
  }

  func contains(_ key: Key) -> Bool { entries[.string(key.stringValue)] != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).value == .null }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder(key).decode(type) }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try decoder(key).container(keyedBy: type) }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }
  func superDecoder() throws -> any Decoder { try decoder(Super()) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

private struct Unkeyed: UnkeyedDecodingContainer {
  let elements: [Value]
  let codingPath: [any CodingKey]
  var currentIndex = 0
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  init(elements: [Value], codingPath: [any CodingKey]) {
    self.elements = elements
    self.codingPath = codingPath
  }

  private func current(_ type: Any.Type) throws -> ValueDecoder {
    let path = codingPath + [Index(currentIndex)]
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(type, .init(codingPath: path, debugDescription: "There are no more elements."))
    }
    return ValueDecoder(value: elements[currentIndex], codingPath: path)
  }

  mutating func decodeNil() throws -> Bool {
    guard try current(Never.self).value == .null else { return false }
    currentIndex += 1
    return true
  }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let decoded = try current(type).decode(type)
    currentIndex += 1
    return decoded
  }
  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    let container = try current(type).container(keyedBy: type)
    currentIndex += 1
    return container
  }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try current([Value].self).unkeyedContainer()
    currentIndex += 1
    return container
  }
  mutating func superDecoder() throws -> any Decoder {
    let decoder = try current(Value.self)
    currentIndex += 1
    return decoder
  }
}

private struct Single: SingleValueDecodingContainer {
  let decoder: ValueDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.value == .null }
  func decode(_ type: Bool.Type) throws -> Bool { try decoder.require(decoder.value.bool) }
  func decode(_ type: String.Type) throws -> String {
    try decoder.require(decoder.value.string ?? decoder.value.url?.absoluteString)
  }
  func decode(_ type: Double.Type) throws -> Double { try decoder.require(decoder.value.double) }
  func decode(_ type: Float.Type) throws -> Float { try decoder.float() }
  func decode(_ type: Int.Type) throws -> Int { try decoder.integer() }
  func decode(_ type: Int8.Type) throws -> Int8 { try decoder.integer() }
  func decode(_ type: Int16.Type) throws -> Int16 { try decoder.integer() }
  func decode(_ type: Int32.Type) throws -> Int32 { try decoder.integer() }
  func decode(_ type: Int64.Type) throws -> Int64 { try decoder.integer() }
  func decode(_ type: UInt.Type) throws -> UInt { try decoder.integer() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.integer() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.integer() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.integer() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.integer() }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type) }
}
