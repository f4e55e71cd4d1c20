import Foundation
import SegueCore
import Testing

/// The check accepts and refuses the same bytes as the decoder, with the same words.
@Suite struct CBORCheckTests {
  static func compare(_ bytes: [UInt8]) {
    let decoded = Result { () throws(SegueError) in try CBOR.decode(bytes) }
    let start = Array(bytes.prefix(64)).hex
    #expect(decoded.map { $0.kind } == Result { () throws(SegueError) in try CBOR.check(bytes) }, "\(start)")
    let entry = decoded.map { $0.dictionary?["a"] }
    #expect(entry == Result { () throws(SegueError) in try CBOR.entry("a", of: bytes) }, "\(start)")
  }

  @Test func theFuzzersInputs() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../fuzz/corpus/value").standardized
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    #expect(files.count > 100)
    for file in files { Self.compare([UInt8](try Data(contentsOf: file))) }
  }

  @Test func allLimits() throws {
    for (_, bytes) in CBORLimitTests.deep + CBORLimitTests.many + CBORLimitTests.long { Self.compare(bytes) }
    for bound in CBORLimitTests.bounds { Self.compare(try CBOR.encode(bound.fits)) }
  }

  @Test func allVectors() throws {
    for (hex, _) in CBORVectorTests.vectors { Self.compare(try #require([UInt8](hex: hex))) }
    let refused =
      CBORVectorTests.malformed + CBORVectorTests.misplaced + CBORVectorTests.lyingLengths + CBORVectorTests.duplicates
    for (hex, _, _) in refused { Self.compare(try #require([UInt8](hex: hex))) }
  }

  /// Random values as they are, cut off, and with a byte changed.
  @Test(arguments: [1, 2, 3, 4] as [UInt64]) func randomValues(_ seed: UInt64) throws {
    var random = CBORHostileTests.Generator(state: seed)
    for _ in 0..<1000 {
      var bytes = try CBOR.encode(Self.value(&random, depth: 0))
      Self.compare(bytes)
      Self.compare(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))))
      bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: .min ... .max, using: &random)
      Self.compare(bytes)
    }
  }

  private static func value(_ random: inout CBORHostileTests.Generator, depth: Int) -> Value {
    let count = Int.random(in: 0..<6, using: &random)
    switch Int.random(in: 0..<(depth < 6 ? 14 : 9), using: &random) {
    case 0: return .null
    case 1: return .bool(count > 2)
    case 2: return .integer(Int64(truncatingIfNeeded: random.next() >> UInt64.random(in: 0..<64, using: &random)))
    case 3: return .double(Double(bitPattern: random.next()))
    case 4: return .string(["", "a", "é", "東京", "🙂", String(repeating: "x", count: 40)][count])
    case 5: return .data((0..<count * 10).map { UInt8(truncatingIfNeeded: $0) })
    case 6: return .date([0, -0.0, 1.5, -7, 0x1p53, 1e300][count])
    case 7:
      return .url(
        ["a:", "a:b", "file:///é", "x-y://z", "https://a.b/c?d", "a:\(String(repeating: "y", count: 30))"][count])
    case 8: return .uuid(Identifier(high: random.next(), low: random.next()))
    case 9, 10: return .array((0..<count).map { _ in value(&random, depth: depth + 1) })
    case 11: return .set(Set((0..<count).map { _ in value(&random, depth: depth + 1) }))
    default:
      var entries: [Value: Value] = ["a": value(&random, depth: depth + 1)]
      for _ in 0..<count {
        let key = value(&random, depth: 6)
        entries[key] = value(&random, depth: depth + 1)
      }
      return .dictionary(entries)
    }
  }
}
