extension UserActivity {
  /// The state as a value of a type of yours: userInfo's entries, by the names of its properties. Throws a `DecodingError`
  /// that names the key path where they do not fit.
  public func typedPayload<T: Decodable>(_ type: T.Type) throws -> T {
    try ValueDecoder.decode(type, from: .dictionary(userInfo.entries))
  }

  /// Replaces userInfo by the properties of a value. Dates, data, URLs and UUIDs keep their kind. Throws an
  /// `EncodingError` for a value that is no object with properties, and `SegueError` where it is past a limit; both name
  /// the key path.
  public func setTypedPayload<T: Encodable>(_ payload: T) throws {
    guard case .dictionary(let entries) = try ValueEncoder.encode(payload) else {
      throw EncodingError.invalidValue(
        payload, .init(codingPath: [], debugDescription: "A payload is an object with properties, as a struct is."))
    }
    try setUserInfo(UserInfo(entries))
  }
}

extension UserActivity {
  /// One entry of userInfo as a value of a type of yours, for an object that owns a part of the state.
  public func payload<T: Decodable>(_ type: T.Type, for key: String) throws -> T {
    guard let value = userInfo[key] else {
      throw DecodingError.keyNotFound(
        Name(key), .init(codingPath: [], debugDescription: "userInfo has no entry of that name."))
    }
    return try ValueDecoder(value: value, codingPath: [Name(key)]).decode(type)
  }

  /// Writes a value as one entry of userInfo.
  public func addPayload<T: Encodable>(_ payload: T, for key: String) throws {
    try addUserInfoEntries(from: [.string(key): ValueEncoder.encode(payload)])
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }
}
