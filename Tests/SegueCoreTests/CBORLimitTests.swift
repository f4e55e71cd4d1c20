import SegueCore
import Testing

/// Each limit at its bound and just past it, in both directions.
@Suite struct CBORLimitTests {
  /// A value at the bound, one past it, and where the error says the culprit is.
  struct Bound: Sendable {
    let name: String
    let fits: Value
    let exceeds: Value
    let place: String
  }

  static func nested(_ depth: Int) -> Value {
    var value: Value = 1
    for index in 0..<depth {
      switch index % 3 {
      case 0: value = [value]
      case 1: value = ["k": value]
      default: value = .set([value])
      }
    }
    return value
  }

  static func repeated(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
    var result: [UInt8] = []
    for _ in 0..<count { result += bytes }
    return result
  }

  static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  static func dictionary(_ count: Int) -> Value {
    var entries: [Value: Value] = [:]
    for index in 0..<count { entries[.integer(Int64(index))] = .null }
    return .dictionary(entries)
  }

  static let bounds: [Bound] = [
    Bound(
      name: "depth", fits: nested(Limits.valueDepth), exceeds: nested(Limits.valueDepth + 1), place: "is a container"),
    Bound(
      name: "nodes of an array", fits: .array(Array(repeating: 1, count: Limits.valueNodes - 1)),
      exceeds: .array(Array(repeating: 1, count: Limits.valueNodes)), place: "userInfo[\(Limits.valueNodes - 1)]"),
    Bound(
      name: "nodes of a set", fits: .set(Set((0..<(Limits.valueNodes - 1)).map { .integer(Int64($0)) })),
      exceeds: .set(Set((0..<Limits.valueNodes).map { .integer(Int64($0)) })), place: "userInfo[a member]"),
    // 1 array and 8 dictionaries with 255 entries each are 4,089 values.
    Bound(
      name: "nodes of dictionaries", fits: .array(Array(repeating: dictionary(255), count: 8) + [1, 2, 3, 4, 5, 6, 7]),
      exceeds: .array(Array(repeating: dictionary(255), count: 8) + [1, 2, 3, 4, 5, 6, 7, 8]), place: "userInfo[15]"),
    Bound(
      name: "entries", fits: dictionary(Limits.dictionaryEntries), exceeds: dictionary(Limits.dictionaryEntries + 1),
      place: "userInfo has 257 entries"),
    Bound(
      name: "string key", fits: [.string(text(Limits.keyLength)): 1], exceeds: [.string(text(Limits.keyLength + 1)): 1],
      place: "userInfo[key \"xxx"),
    Bound(
      name: "data key", fits: [.data([UInt8](repeating: 1, count: Limits.keyLength)): 1],
      exceeds: [.data([UInt8](repeating: 1, count: Limits.keyLength + 1)): 1], place: "userInfo[key 129 bytes]"),
    Bound(
      name: "url key", fits: [.url("x:" + text(Limits.keyLength - 2)): 1],
      exceeds: [.url("x:" + text(Limits.keyLength - 1)): 1], place: "userInfo[key url \"x:x"),
    Bound(
      name: "string", fits: .string(text(Limits.valueLength)),
      exceeds: ["a": [1, .string(text(Limits.valueLength + 1))]],
      place: "userInfo[\"a\"][1] takes 65537 bytes"),
    Bound(
      name: "data", fits: .data([UInt8](repeating: 0, count: Limits.valueLength)),
      exceeds: .data([UInt8](repeating: 0, count: Limits.valueLength + 1)), place: "userInfo takes"),
    Bound(
      name: "url", fits: .url("x:" + text(Limits.valueLength - 2)), exceeds: .url("x:" + text(Limits.valueLength - 1)),
      place: "userInfo takes"),
  ]

  @Test(arguments: bounds)
  func encoding(_ bound: Bound) throws {
    let bytes = try CBOR.encode(bound.fits)
    #expect(try CBOR.decode(bytes) == bound.fits)
    let error = #expect(throws: SegueError.self) { try CBOR.encode(bound.exceeds) }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains(bound.place) == true, "\(error?.message ?? "")")
  }

  // Values that the encoder refuses, encoded by hand, so that the decoder sees them.

  static let deep: [(String, [UInt8])] = [
    ("depth", [UInt8](repeating: 0x81, count: Limits.valueDepth + 1) + [0]),
    ("64 deep", [UInt8](repeating: 0x81, count: 64) + [0]),
    ("a million deep", [UInt8](repeating: 0x81, count: 1_000_000) + [0]),
    ("64 sets", repeated([0xD9, 0x01, 0x02, 0x81], 64) + [0]),
    ("64 dictionaries", repeated([0xA1, 0], 64) + [0]),
  ]

  @Test(arguments: deep)
  func attack23_tooDeep(_ name: String, _ bytes: [UInt8]) { refused(name, bytes) }

  static let many: [(String, [UInt8])] = [
    ("nodes", [0x99, 0x10, 0x00] + [UInt8](repeating: 0, count: 4096)),
    ("nodes in two", [0x82, 0x99, 0x0F, 0xFD] + [UInt8](repeating: 0, count: 4093) + [0x81, 0]),
    (
      "entries",
      [0xB9, 0x01, 0x01] + repeated([0, 0], 257)
    ),
    ("a million keys", [0xBA, 0x00, 0x0F, 0x42, 0x40] + [UInt8](repeating: 0, count: 2_000_000)),
  ]

  @Test(arguments: many)
  func attack24_tooMany(_ name: String, _ bytes: [UInt8]) { refused(name, bytes) }

  static let long: [(String, [UInt8])] = [
    ("key", [0xA1, 0x78, 129] + [UInt8](repeating: 0x78, count: 129) + [0]),
    ("string", [0x7A, 0, 1, 0, 1] + [UInt8](repeating: 0x78, count: 65537)),
    ("data", [0x5A, 0, 1, 0, 1] + [UInt8](repeating: 0x78, count: 65537)),
  ]

  @Test(arguments: long)
  func tooLong(_ name: String, _ bytes: [UInt8]) { refused(name, bytes) }

  private func refused(_ name: String, _ bytes: [UInt8]) {
    let error = #expect(throws: SegueError.self) { try CBOR.decode(bytes) }
    #expect(error?.code == .limitExceeded, "\(name): \(error?.message ?? "")")
  }

  @Test func nodesInTwoArraysAtTheBound() throws {
    let fitting = [0x82, 0x99, 0x0F, 0xFC] + [UInt8](repeating: 0, count: 4092) + [0x81, 0]
    #expect(try CBOR.encode(CBOR.decode(fitting)) == fitting)
  }

  @Test func E2_tooLargeTellsSizeLimitAndLargestKey() throws {
    let big = Value.data([UInt8](repeating: 7, count: 60_000))
    let userInfo: Value = ["small": 1, "big": [big], "other": big]
    let error = #expect(throws: SegueError.self) { try CBOR.encode(userInfo: userInfo) }
    #expect(error?.code == .handoffUserInfoTooLarge)
    #expect(
      error?.message
        == "userInfo takes 120025 bytes, and at most 102400 are sent; "
        + "its largest entry, userInfo[\"other\"], takes 60009")
    #expect(error?.advice.isEmpty == false)

    let encoded = try CBOR.measured(userInfo)
    #expect(encoded.bytes.count == 120_025)
    #expect(encoded.largestKey == "other")
    #expect(encoded.largestEntry == 60_009)
    #expect(try CBOR.encode(userInfo: userInfo, maximum: 120_025).bytes == encoded.bytes)
    #expect(throws: SegueError.self) { try CBOR.encode(userInfo: userInfo, maximum: 120_024) }
  }

  @Test func largestKeyIsTheSameInEveryRun() throws {
    #expect(try CBOR.measured(["c": 1, "a": 2, "b": 3]).largestKey == "a")
    #expect(try CBOR.measured([:]).largestKey == nil)
    #expect(try CBOR.measured(3).largestKey == nil)
  }

  static let misplaced: [(Value, String)] = [
    ([.double(.nan): .date(.nan)], "userInfo[nan] is a date that is not finite"),
    (["a": [1, 2, 3, .date(.infinity)]], "userInfo[\"a\"][3] is a date"),
    ([1: [.uuid(Identifier(high: 0, low: 1)): "a\u{0}b"]], "userInfo[1][00000000000000000000000000000001] has a NUL"),
    ([.url("x:y"): .url("no scheme")], "userInfo[url \"x:y\"] is not a URL"),
    (["a\n\u{202E}b\u{0}": 1], "userInfo[key \"a b\"] has a NUL"),
    (["a\"] is fine\u{0}": 1], "userInfo[key \"a'] is fine\"] has a NUL"),
    ([.url("x:\u{201D}] is fine"): .url("")], "userInfo[key url \"x:'] is fine\"] is not a URL"),
    (.set([.url("")]), "userInfo[a member] is not a URL"),
    (.dictionary([[1]: 1]), "userInfo[key array] is a container"),
  ]

  @Test(arguments: misplaced)
  func encodingSaysWhere(_ value: Value, _ message: String) {
    let error = #expect(throws: SegueError.self) { try CBOR.encode(value) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
  }
}
