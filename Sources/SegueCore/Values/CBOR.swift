/// The form in which values cross the door and the link: deterministic CBOR (RFC 8949, section 4.2.1).
///
/// One value has one encoding, and nothing else is accepted: lengths and integers as short as possible, the shortest
/// float (half, single, double) that keeps the value, one NaN (f97e00), definite lengths, keys and set members in
/// the order of their encodings, none twice. Tags: 1 date, 32 URL, 37 UUID (16 bytes), 258 set.
///
/// A date's content is an integer when its seconds are integral and within ±2^53, else a float; -0.0 is a float,
/// because an integer would lose its sign. A date that is not finite, a URL that `Value.isURL` refuses, and text with
/// a NUL inside (C would see a shorter one) are refused in both directions.
///
/// `Limits` bounds depth, nodes, entries, and the length of keys and values, in both directions; strings, data and
/// URLs count as keys alike. How long the whole may be is the caller's to say.
public enum CBOR {
  /// An encoding, and what an error or a warning about its size has to tell (semantics E2, E4).
  public struct Encoded: Equatable, Sendable {
    /// The encoding.
    public let bytes: [UInt8]
    /// The key whose entry takes most bytes, if the value is a dictionary with entries. Among equals, the first in the
    /// encoding.
    public let largestKey: Value?
    /// Bytes of that entry, key and value together.
    public let largestEntry: Int

    /// The rest of a sentence about the size of a userInfo; empty where userInfo has no entries.
    public var largestInSentence: String {
      largestKey.map { "; its largest entry, userInfo[\($0.inPath)], takes \(largestEntry)" } ?? ""
    }
  }

  /// The encoding of `value`.
  public static func encode(_ value: Value) throws(SegueError) -> [UInt8] {
    try measured(value).bytes
  }

  /// The encoding of `value`, and the largest entry at its top.
  ///
  /// - Parameter name: The name of `value` in an error's key path.
  public static func measured(_ value: Value, name: String = "userInfo") throws(SegueError) -> Encoded {
    var encoder = CBOREncoder()
    do {
      try encoder.encode(value, depth: 0)
    } catch {
      throw error.segueError(root: name)
    }
    return Encoded(bytes: encoder.bytes, largestKey: encoder.largestKey, largestEntry: encoder.largestEntry)
  }

  /// The encoding of a userInfo, refused with `handoffUserInfoTooLarge` above `maximum` bytes (semantics E2).
  public static func encode(
    userInfo: Value, maximum: Int = Limits.userInfoMaximum
  ) throws(SegueError) -> Encoded {
    let encoded = try measured(userInfo)
    guard encoded.bytes.count <= maximum else {
      throw SegueError(
        .handoffUserInfoTooLarge,
        "userInfo takes \(encoded.bytes.count) bytes, and at most \(maximum) are sent\(encoded.largestInSentence)",
        advice: "Put what identifies the activity into userInfo, and fetch or stream the rest.")
    }
    return encoded
  }

  /// The value whose encoding `bytes` are; anything that `encode` would not have written is refused.
  public static func decode(_ bytes: [UInt8]) throws(SegueError) -> Value {
    var decoder = CBORDecoder(bytes)
    return try decoder.decode()
  }

  /// The kind of the value whose encoding `bytes` are. It accepts and refuses as `decode` does, and builds no value.
  public static func check(_ bytes: [UInt8]) throws(SegueError) -> Value.Kind {
    var decoder = CBORDecoder(bytes, isBuilding: false)
    return try decoder.decode().kind
  }

  /// The value that an encoded dictionary has for a key; nil where it has none, or they are another value's.
  /// They are checked as a whole, and nothing else is built of them.
  public static func entry(_ key: Value, of bytes: [UInt8]) throws(SegueError) -> Value? {
    var decoder = CBORDecoder(bytes, isBuilding: false, wanted: try encode(key))
    _ = try decoder.decode()
    return decoder.found
  }
}

/// The tags in use (IANA registry of CBOR tags).
enum CBORTag {
  static let date: UInt64 = 1
  static let url: UInt64 = 32
  static let uuid: UInt64 = 37
  static let set: UInt64 = 258
}

/// The three highest bits of an item's first byte.
enum CBORMajor {
  static let unsigned: UInt8 = 0
  static let negative: UInt8 = 1
  static let bytes: UInt8 = 2
  static let text: UInt8 = 3
  static let array: UInt8 = 4
  static let map: UInt8 = 5
  static let tag: UInt8 = 6
  static let simple: UInt8 = 7
}

/// The seconds of a date that is written as an integer, nil for one that is written as a float.
func integralSeconds(_ seconds: Double) -> Int64? {
  guard seconds.magnitude <= 0x1p53, seconds.bitPattern != (-0.0).bitPattern else { return nil }
  return Int64(exactly: seconds)
}
