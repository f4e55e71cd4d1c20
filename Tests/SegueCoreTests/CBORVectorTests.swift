import SegueCore
import Testing

/// RFC 8949, appendix A: what applies as it is, and what must be refused because it is not deterministic or not ours.
@Suite struct CBORVectorTests {
  static let vectors: [(String, Value)] = [
    ("00", 0), ("01", 1), ("0a", 10), ("17", 23), ("1818", 24), ("1819", 25), ("1864", 100), ("1903e8", 1000),
    ("1a000f4240", 1_000_000), ("1b000000e8d4a51000", 1_000_000_000_000), ("20", -1), ("29", -10), ("3863", -100),
    ("3903e7", -1000), ("f90000", 0.0), ("f98000", .double(-0.0)), ("f93c00", 1.0), ("fb3ff199999999999a", 1.1),
    ("f93e00", 1.5), ("f97bff", 65504.0), ("fa47c35000", 100000.0), ("fa7f7fffff", 3.4028234663852886e+38),
    ("fb7e37e43c8800759c", 1.0e+300), ("f90001", 5.960464477539063e-8), ("f90400", 0.00006103515625),
    ("f9c400", .double(-4)), ("fbc010666666666666", .double(-4.1)), ("f97c00", .double(.infinity)),
    ("f97e00", .double(.nan)), ("f9fc00", .double(-.infinity)), ("f4", false), ("f5", true), ("f6", nil),
    ("c11a514b67b0", .date(1_363_896_240)), ("c1fb41d452d9ec200000", .date(1_363_896_240.5)),
    ("d82076687474703a2f2f7777772e6578616d706c652e636f6d", .url("http://www.example.com")), ("40", .data([])),
    ("4401020304", .data([1, 2, 3, 4])), ("60", ""), ("6161", "a"), ("6449455446", "IETF"), ("62225c", "\"\\"),
    ("62c3bc", "\u{fc}"), ("63e6b0b4", "\u{6c34}"), ("64f0908591", "\u{10151}"), ("80", []),
    ("83010203", [1, 2, 3]), ("8301820203820405", [1, [2, 3], [4, 5]]), ("a0", [:]), ("a201020304", [1: 2, 3: 4]),
    (
      "98190102030405060708090a0b0c0d0e0f101112131415161718181819",
      .array((1...25).map { .integer($0) })
    ),
    ("a26161016162820203", ["a": 1, "b": [2, 3]]), ("826161a161626163", ["a", ["b": "c"]]),
    ("a56161614161626142616361436164614461656145", ["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"]),
    // Not in the appendix: the bounds of Int64, each kind of key, sets, the dates that are near the bounds.
    ("1b7fffffffffffffff", .integer(.max)), ("3b7fffffffffffffff", .integer(.min)),
    (
      "d82550000102030405060708090a0b0c0d0e0f",
      .uuid(Identifier(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F))
    ),
    ("d9010280", .set([])), ("d90102820102", .set([1, 2])), ("d90102820a6161", .set(["a", 10])),
    ("d90102818101", .set([[1]])), ("c100", .date(0)), ("c1f98000", .date(-0.0)),
    ("c11b0020000000000000", .date(0x1p53)), ("c13b001fffffffffffff", .date(-0x1p53)),
    ("c1fa5a800000", .date(0x1p54)), ("c1fb4340000000000001", .date(0x1p53 + 2)),
    ("a50a00200140024161f6616103", [10: 0, -1: 1, .data([]): 2, .data([0x61]): nil, "a": 3]),
    (
      "a6c10000d82062783a00f400f600f97e0000f9800000",
      [
        false: 0, nil: 0, .double(.nan): 0, .double(-0.0): 0, .date(0): 0, .url("x:"): 0,
      ]
    ),
  ]

  @Test(arguments: vectors)
  func bothWays(_ hex: String, _ value: Value) throws {
    let bytes = try #require([UInt8](hex: hex))
    #expect(try CBOR.encode(value).hex == hex)
    #expect(try CBOR.decode(bytes) == value)
  }

  /// Bytes that are refused, the reason, and the offset of the byte that is refused.
  static let malformed: [(String, String, Int)] = [
    // From the RFC's appendix: beyond Int64, longer floats, other tags, simple values, indefinite lengths.
    ("1bffffffffffffffff", "beyond 64 bits", 0), ("3bffffffffffffffff", "beyond 64 bits", 0),
    ("1b8000000000000000", "beyond 64 bits", 0), ("3b8000000000000000", "beyond 64 bits", 0),
    ("c249010000000000000000", "unknown tag", 0), ("c349010000000000000000", "unknown tag", 0),
    ("fa7f800000", "shortest", 0), ("fa7fc00000", "shortest", 0), ("faff800000", "shortest", 0),
    ("fb7ff0000000000000", "shortest", 0), ("fb7ff8000000000000", "shortest", 0), ("f97e01", "shortest", 0),
    ("f9fe00", "shortest", 0), ("f97c01", "shortest", 0), ("fb3ff8000000000000", "shortest", 0),
    ("fa3fc00000", "shortest", 0), ("f7", "simple", 0), ("f0", "simple", 0), ("f8ff", "simple", 0),
    ("f814", "simple", 0), ("fc", "reserved", 0), ("1c", "reserved", 0), ("ff", "indefinite", 0),
    ("c074323031332d30332d32315432303a30343a30305a", "unknown tag", 0), ("d74401020304", "unknown tag", 0),
    ("d818456449455446", "unknown tag", 0), ("5f42010243030405ff", "indefinite", 0),
    ("7f657374726561646d696e67ff", "indefinite", 0), ("9fff", "indefinite", 0),
    ("bf61610161629f0203ffff", "indefinite", 0),
    ("826161bf61626163ff", "indefinite", 3),
    // Not the shortest form, in every place that has a length or a number.
    ("1800", "shortest", 0), ("1817", "shortest", 0), ("190018", "shortest", 0), ("1900ff", "shortest", 0),
    ("1a0000ffff", "shortest", 0), ("1b00000000ffffffff", "shortest", 0), ("3800", "shortest", 0),
    ("5800", "shortest", 0),
    ("7800", "shortest", 0), ("9800", "shortest", 0), ("b800", "shortest", 0), ("d801f6", "shortest", 0),
  ]

  static let lyingLengths: [(String, String, Int)] = [
    ("5bffffffffffffffff", "more than", 0), ("5b8000000000000000", "more than", 0),
    ("5b7fffffffffffffff", "more than", 0),
    ("7bffffffffffffffff", "more than", 0), ("9bffffffffffffffff", "more than", 0),
    ("9b7fffffffffffffff", "more than", 0),
    ("bbffffffffffffffff", "more than", 0), ("bb8000000000000000", "more than", 0), ("5affffffff", "more than", 0),
    ("d901029bffffffffffffffff", "more than", 3), ("590100", "too few", 0), ("83f6f6", "too few", 0),
    ("a200", "too few", 0),
  ]

  static let duplicates: [(String, String, Int)] = [
    ("a201000100", "equal", 3), ("a3010001000200", "equal", 3), ("a2616100616100", "equal", 4),
    ("d90102820101", "equal", 5), ("a202000100", "out of order", 3), ("a26161002000", "out of order", 4),
    ("d90102820201", "out of order", 5),
  ]

  static let misplaced: [(String, String, Int)] = [
    // Keys.
    ("a18000", "as a key", 1),
    ("a1a000", "as a key", 1),
    ("a1d901028000", "as a key", 1), ("a26161006162", "too few", 6),
    // Tags around the wrong thing.
    ("c1f6", "tag", 1), ("c1f97e00", "not finite", 1), ("c1f97c00", "not finite", 1), ("c1f93c00", "integral", 1),
    ("c1c100", "tag", 1), ("c11b0020000000000001", "2^53", 1), ("c13b0020000000000000", "2^53", 1),
    ("c11b8000000000000000", "64 bits", 1), ("d8204161", "tag", 2), ("d82060", "URL", 2), ("d8206161", "URL", 2),
    ("d8206431613a62", "URL", 2), ("d82064613a620a", "URL", 2), ("d82540", "UUID", 2),
    ("d8254f000102030405060708090a0b0c0d0e", "UUID", 2), ("d825510001020304050607080910111213141516", "UUID", 2),
    ("d9010201", "tag", 3), ("d90102a0", "tag", 3), ("c1", "too few", 1),
    // Text.
    ("6100", "NUL", 0), ("63610062", "NUL", 0), ("61ff", "UTF-8", 0), ("62c080", "UTF-8", 0), ("63eda080", "UTF-8", 0),
    ("64f4908080", "UTF-8", 0), ("61c3", "UTF-8", 0), ("63e08080", "UTF-8", 0), ("6180", "UTF-8", 0),
    // More than one value, or none.
    ("", "too few", 0), ("0000", "after", 1), ("f6f6", "after", 1),
  ]

  @Test(arguments: malformed + misplaced)
  func noOtherForm(_ hex: String, _ why: String, _ offset: Int) throws { try refused(hex, why, offset) }

  @Test(arguments: lyingLengths)
  func attack27_lengthsThatLie(_ hex: String, _ why: String, _ offset: Int) throws { try refused(hex, why, offset) }

  /// The decoder refuses equal keys, and never takes one of them silently.
  @Test(arguments: duplicates)
  func attack24_equalKeys(_ hex: String, _ why: String, _ offset: Int) throws { try refused(hex, why, offset) }

  private func refused(_ hex: String, _ why: String, _ offset: Int) throws {
    let bytes = try #require([UInt8](hex: hex))
    let error = #expect(throws: SegueError.self) { try CBOR.decode(bytes) }
    let message = error?.message ?? ""
    #expect(message.contains(why), "\(message)")
    #expect(message.hasPrefix("Encoded value, byte \(offset): "), "\(message)")
    #expect(error?.code == (why == "more than" ? .limitExceeded : .invalidArgument))
  }
}
