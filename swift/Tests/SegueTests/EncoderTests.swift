import Foundation
import Testing

@testable import Segue

/// The values that containers make of their elements, in numbers in which a copy at each step would be felt.
struct EncoderTests {
  private static let many = 20_000

  @Test func manyElementsAndEntriesAreEncoded() throws {
    let numbers = Array(0..<Self.many)
    #expect(try ValueEncoder.encode(numbers) == .array(numbers.map { .integer(Int64($0)) }))
    let texts = Dictionary(uniqueKeysWithValues: numbers.map { ("\($0)", $0) })
    #expect(
      try ValueEncoder.encode(texts)
        == .dictionary(Dictionary(uniqueKeysWithValues: numbers.map { (.string("\($0)"), .integer(Int64($0))) })))
    #expect(try ValueDecoder.decode([Int].self, from: ValueEncoder.encode(numbers)) == numbers)
  }

  @Test func containersOfOnePlaceGoOnWithEachOther() throws {
    struct Twice: Encodable {
      enum Key: CodingKey { case a, b }
      func encode(to encoder: any Encoder) throws {
        var one = encoder.container(keyedBy: Key.self)
        try one.encode(1, forKey: .a)
        var other = encoder.container(keyedBy: Key.self)
        try other.encode(2, forKey: .b)
        try one.encode(3, forKey: .a)
      }
    }
    #expect(try ValueEncoder.encode(Twice()) == ["a": 3, "b": 2])
    struct List: Encodable {
      func encode(to encoder: any Encoder) throws {
        var one = encoder.unkeyedContainer()
        try one.encode(1)
        var other = encoder.unkeyedContainer()
        try other.encodeNil()
        var nested = one.nestedUnkeyedContainer()
        try nested.encode("inner")
        #expect(one.count == 3 && other.count == 3 && nested.count == 1)
      }
    }
    #expect(try ValueEncoder.encode(List()) == [1, nil, ["inner"]])
  }

  @Test func aFloatIsNeverInfiniteByRounding() throws {
    #expect(try ValueDecoder.decode(Float.self, from: 0.1) == 0.1)
    #expect(try ValueDecoder.decode(Float.self, from: .double(.infinity)) == .infinity)
    #expect(throws: DecodingError.self) { try ValueDecoder.decode(Float.self, from: 1e300) }
  }
}
