import SegueCore
import Testing

/// Bytes from a hostile sender. Each test expects an error or a value, never a trap, and an accepted value encodes to
/// the very bytes that it came from.
@Suite struct CBORHostileTests {
  /// SplitMix64: the same numbers in every run.
  struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
      return z ^ z >> 31
    }
  }

  static let rich: Value = [
    "title": "Zürich – 東京", "count": 70000, "ratio": 0.1, "half": 1.5, "none": nil, "flag": true,
    "when": .date(1_700_000_000), "precise": .date(1_700_000_000.25), "link": .url("https://example.com/a?b=c"),
    "id": .uuid(Identifier(high: 0x0123_4567_89AB_CDEF, low: 42)), "bytes": .data([0, 255, 127]),
    "set": .set(["a", 1, [2, 3], .date(-1)]), "list": [[:], [-1: [1, 2, [3, ["deep": .set([])]]]], .double(-0.0)],
  ]

  private func check(_ bytes: [UInt8], accepted: inout Int) {
    CBORCheckTests.compare(bytes)
    do throws(SegueError) {
      let value = try CBOR.decode(bytes)
      accepted += 1
      let again = try CBOR.encode(value)
      #expect(again == bytes, "\(bytes.hex)")
    } catch {
      #expect([.invalidArgument, .limitExceeded].contains(error.code), "\(bytes.hex): \(error.message)")
    }
  }

  @Test func truncatedAtEveryByte() throws {
    let bytes = try CBOR.encode(Self.rich)
    #expect(try CBOR.decode(bytes) == Self.rich)
    for count in 0..<bytes.count {
      let error = #expect(throws: SegueError.self) { try CBOR.decode(Array(bytes[..<count])) }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func everyByteReplacedByEveryOther() throws {
    let bytes = try CBOR.encode(["a": [1, 1.5, .date(1)], "b": .set([.url("a:b"), .data([1]), nil])])
    var accepted = 0
    for index in bytes.indices {
      for byte in UInt8.min...UInt8.max {
        var mutated = bytes
        mutated[index] = byte
        check(mutated, accepted: &accepted)
      }
    }
    #expect(accepted >= bytes.count)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func randomMutations(_ seed: UInt64) throws {
    var generator = Generator(state: seed)
    let bytes = try CBOR.encode(Self.rich)
    var accepted = 0
    for _ in 0..<5000 {
      var mutated = bytes
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let index = Int.random(in: mutated.indices, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: mutated[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: mutated[index] = .random(in: .min ... .max, using: &generator)
        case 2: mutated.insert(.random(in: .min ... .max, using: &generator), at: index)
        default: mutated.remove(at: index)
        }
      }
      check(mutated, accepted: &accepted)
    }
    #expect(accepted > 100)
  }

  @Test func randomBytes() {
    var generator = Generator(state: 5)
    var accepted = 0
    for _ in 0..<50_000 {
      let count = Int.random(in: 1...24, using: &generator)
      check((0..<count).map { _ in .random(in: .min ... .max, using: &generator) }, accepted: &accepted)
    }
    #expect(accepted > 100)
  }

  @Test func everyPairOfFirstBytes() {
    var accepted = 0
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        check([first, second], accepted: &accepted)
        check([first, second, 0], accepted: &accepted)
        check([first, second, 0x80], accepted: &accepted)
      }
    }
    #expect(accepted > 100)
  }

  @Test func everyHalfAndManyDoubles() throws {
    for bits in UInt16.min...UInt16.max {
      let bytes = [0xF9, UInt8(bits >> 8), UInt8(bits & 255)]
      let isOtherNaN = bits & 0x7C00 == 0x7C00 && bits & 0x3FF != 0 && bits != 0x7E00
      guard let value = try? CBOR.decode(bytes) else {
        if !isOtherNaN { Issue.record("\(bytes.hex) is refused") }
        continue
      }
      if isOtherNaN { Issue.record("\(bytes.hex) is accepted") }
      if try CBOR.encode(value) != bytes { Issue.record("\(bytes.hex) changes") }
    }
    var generator = Generator(state: 6)
    for _ in 0..<20_000 {
      // Few bits set, so that all three widths come up.
      let mask = generator.next() & generator.next() & generator.next()
      let double = Double(bitPattern: mask << UInt64.random(in: 0..<50, using: &generator))
      let value = Value.double(double)
      if try CBOR.decode(CBOR.encode(value)) != value { Issue.record("\(double) changes") }
      let date = Value.date(double)
      if double.isFinite, try CBOR.decode(CBOR.encode(date)) != date { Issue.record("date \(double) changes") }
    }
  }
}
