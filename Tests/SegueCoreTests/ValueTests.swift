import SegueCore
import Testing

@Suite struct ValueTests {
  /// Values that are easily taken for another; every one differs from every other.
  static let different: [Value] = [
    nil, false, true, 0, 1, 0.0, 1.0, .double(-0.0), .double(.nan), .double(.infinity), "", "a", "\u{E9}", "e\u{301}",
    .data([]), .data([0x61]), .date(0), .date(-0.0), .date(1), .url("a"), .uuid(Identifier(high: 0, low: 0)),
    [], .set([]), [:], [nil], .set([nil]), [nil: nil], ["ab", "c"], ["a", "bc"],
  ]

  @Test func everyValueIsOnlyItself() {
    for (index, value) in Self.different.enumerated() {
      for (otherIndex, other) in Self.different.enumerated() {
        #expect((value == other) == (index == otherIndex))
      }
    }
    #expect(Set(Self.different).count == Self.different.count)
  }

  @Test func C3_everyKindButContainersIsAKey() {
    var entries: [Value: Value] = [:]
    for (index, value) in Self.different.enumerated() where value.isKey { entries[value] = .integer(Int64(index)) }
    for (index, value) in Self.different.enumerated() where value.isKey {
      #expect(entries[value] == .integer(Int64(index)))
    }
    #expect(![Value.Kind.array, .set, .dictionary].contains { kind in entries.keys.contains { $0.kind == kind } })
  }

  @Test func allNaNsAreOne() {
    let others: [Double] = [.nan, -.nan, .signalingNaN, Double(nan: 77, signaling: false)]
    #expect(Set(others.map { Value.double($0) }).count == 1)
    for other in others { #expect((try? CBOR.encode(.double(other))) == [0xF9, 0x7E, 0x00]) }
  }

  @Test func C4_addingKeepsOtherKeysAndTheArgumentWins() throws {
    var entries: [Value: Value] = ["a": 1, "b": 2]
    #expect(try entries.add(entries: ["b": 3, "c": 4]))
    #expect(entries == ["a": 1, "b": 3, "c": 4])
    #expect(try !entries.add(entries: [:]))
    #expect(try !entries.add(entries: ["c": 4]))
  }

  @Test func C4_addingTooManyAddsNone() throws {
    var entries: [Value: Value] = [:]
    for number in 0..<Int64(Limits.dictionaryEntries) { entries[.integer(number)] = .null }
    let full = entries
    #expect(throws: SegueError.self) { try entries.add(entries: [.integer(0): 1, "one more": 2]) }
    #expect(entries == full)
    #expect(try entries.add(entries: [.integer(0): 1]))
    #expect(entries.count == full.count)
  }

  @Test func accessors() {
    #expect(Value.bool(true).bool == true)
    #expect(Value.integer(1).integer == 1)
    #expect(Value.double(1).double == 1)
    #expect(Value.string("a").string == "a")
    #expect(Value.data([1]).data == [1])
    #expect(Value.date(1).date == 1)
    #expect(Value.url("a:").url == "a:")
    #expect(Value.uuid(Identifier(high: 1, low: 2)).uuid == Identifier(high: 1, low: 2))
    #expect(Value.array([1]).array == [1])
    #expect(Value.set([1]).set == [1])
    #expect(Value.dictionary([1: 2]).dictionary == [1: 2])
    let kinds: [Value] = [
      nil, true, 1, 1.0, "", .data([]), .date(0), .url(""), .uuid(Identifier(high: 0, low: 0)), [], .set([]), [:],
    ]
    #expect(kinds.map(\.kind.rawValue) == (0..<12).map { Int32($0) })
    for value in kinds {
      let held: [Bool] = [
        value.bool != nil, value.integer != nil, value.double != nil, value.string != nil, value.data != nil,
        value.date != nil, value.url != nil, value.uuid != nil, value.array != nil, value.set != nil,
        value.dictionary != nil,
      ]
      #expect(held.count { $0 } == (value == nil ? 0 : 1))
    }
  }

  @Test func depth() {
    #expect(!Value.integer(1).isDeeper(than: 0))
    #expect(([] as Value).isDeeper(than: 0))
    #expect(!([] as Value).isDeeper(than: 1))
    #expect(([[], ["a": .set([])]] as Value).isDeeper(than: 2))
    #expect(!([[], ["a": .set([])]] as Value).isDeeper(than: 3))
  }
}
