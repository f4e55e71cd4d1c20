import Foundation
import SegueBus
import SegueCore
import Testing

@Suite struct BusValueTests {
  static let everything: [BusValue] = [
    .byte(255), .bool(true), .bool(false), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max), .int64(.min),
    .uint64(.max), .double(-0.1), .double(.infinity), .string(""), .string("grüße 🚲 \u{10FFFF}"), .objectPath(testPath),
    .signature(""), .signature("a{sv}(ii)"), .bytes([]), .bytes([0, 1, 255]), .strings([]), .strings(["a", "b"]),
    .array(elementSignature: "ay", [.bytes([1]), .bytes([])]),
    .array(elementSignature: "v", [.variant(.byte(1)), .variant(.variant(.string("x")))]),
    .array(elementSignature: "{us}", [.structure([.uint32(1), .string("one")])]),
    .array(elementSignature: "{ss}", []),
    .array(elementSignature: "(sb)", [.structure([.string("a"), .bool(true)])]),
    .array(elementSignature: "a{sv}", [.dictionary(["a": .byte(1)]), .dictionary([:])]),
    .dictionary([:]),
    .dictionary([
      "z": .string("last"), "a": .dictionary(["inner": .strings(["x"])]), "v": .variant(.uint32(1)),
      "s": .structure([.byte(1), .structure([.double(2)])]),
    ]),
    .structure([.string("a"), .bytes([1]), .variant(.int32(-1))]), .variant(.bytes([1, 2])),
  ]

  @Test func everyTypeSurvivesAMessage() throws {
    let message = try call("Echo", [])
    for value in Self.everything { try message.append([value]) }
    #expect(try message.arguments() == Self.everything)
    #expect(message.signature == Self.everything.map(\.signature).joined())
  }

  @Test func everyTypeSurvivesAPeer() throws {
    let signature = Self.everything.map(\.signature).joined()
    let pair = try Pair { $0.export(testObject(echo: signature), at: testPath) }
    #expect(try answer(pair.client, call("Echo", Self.everything)).values == Self.everything)
    pair.close()
  }

  @Test(arguments: [
    BusValue.string("a\u{0}b"), .signature("a"), .signature("a\u{0}"), .structure([]),
    .dictionary(["a\u{0}": .byte(1)]),
    .array(elementSignature: "", []), .array(elementSignature: "ss", []), .array(elementSignature: "!", []),
    .array(elementSignature: "{vs}", []), .array(elementSignature: "s", [.byte(1)]),
    .array(elementSignature: "s\u{0}", [.string("a")]),
    .array(elementSignature: "{us}", [.structure([.string("a"), .string("b")])]),
    .array(elementSignature: "{us}", [.structure([.uint32(1)])]), .array(elementSignature: "{us}", [.byte(1)]),
    .array(elementSignature: String(repeating: "a", count: 40) + "s", []), .descriptor(FileDescriptor(owning: -1)),
    .variant(.structure([])),
  ])
  func malformedValuesAreRefused(_ value: BusValue) throws {
    let message = try call("Echo", [.byte(1)])
    let error = #expect(throws: SegueError.self) { try message.append([.byte(2), value]) }
    #expect(error?.code == .invalidArgument)
    // All of them or none.
    #expect(try message.arguments() == [.byte(1)])
  }

  @Test func limits() throws {
    func expectExceeded(_ values: [BusValue]) throws {
      let error = #expect(throws: SegueError.self) { _ = try call("Echo", values) }
      #expect(error?.code == .limitExceeded)
    }
    var deep = BusValue.byte(1)
    for _ in 0..<Limits.messageDepth { deep = .variant(deep) }
    #expect(try call("Echo", [deep]).arguments() == [deep])
    try expectExceeded([.variant(deep)])
    try expectExceeded([.bytes([UInt8](repeating: 0, count: Limits.messageLength))])
    try expectExceeded([.array(elementSignature: "y", Array(repeating: .byte(1), count: Limits.messageValues))])
    let file = try SealedMemory.make([])
    try expectExceeded(Array(repeating: .descriptor(file), count: Limits.descriptorsPerMessage + 1))
    let many = try call("Echo", Array(repeating: .byte(1), count: 255))
    #expect(throws: SegueError.self) { try many.append([.byte(1)]) }
  }

  @Test(arguments: [
    BusValue.dictionary(["key": .byte(1)]),
    .array(elementSignature: "{ss}", [.structure([.string("a"), .string("b")])]),
    .variant(.byte(1)), .structure([.byte(1), .string("a")]), .bytes([1, 2, 3]),
  ])
  func `who reads counts the values as who has written did`(_ value: BusValue) throws {
    /// As many of them as a message may have, at the writer's count.
    func whole(_ count: Int) throws -> Message {
      try call("Echo", [.array(elementSignature: value.signature, Array(repeating: value, count: count))])
    }
    var (most, tooMany) = (0, Limits.messageValues)
    while tooMany - most > 1 {
      let middle = (most + tooMany) / 2
      if (try? whole(middle)) == nil { tooMany = middle } else { most = middle }
    }
    #expect(try whole(most).arguments().first?.asArray?.count == most)
  }

  @Test func dictionaries() {
    var dictionary: BusDictionary = ["a": .byte(1), "b": .byte(2)]
    #expect(dictionary["a"] == .byte(1))
    dictionary["a"] = .byte(3)
    dictionary["c"] = .byte(4)
    dictionary["b"] = nil
    #expect(dictionary == ["a": .byte(3), "c": .byte(4)])
    #expect(dictionary["b"] == nil)
  }

  @Test func errorsCrossAsThemselves() throws {
    let error = SegueError(.nameTaken, "It is taken.\u{0}hidden", advice: "Take another.")
    let received = try call("Echo").errorReply(error)
    #expect(received.errorName == "org.segue.Error.NameTaken")
    #expect(received.error == SegueError(.nameTaken, "It is taken.", advice: "Take another."))
    let foreign = try call("Echo").errorReply(name: testInterface, text: "text")
    #expect(foreign.error == SegueError(.system, "text"))
  }
}
