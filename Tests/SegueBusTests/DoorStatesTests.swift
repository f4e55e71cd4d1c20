import SegueBus
import SegueCore
import Testing

@Suite struct DoorStatesTests {
  private func state(_ traits: StateTraits, timeLeft: UInt64?) -> StoredState {
    let snapshot = Snapshot(
      id: Identifier(high: 1, low: 2), revision: 3, type: .browsingWeb, title: "Grüße",
      targetContentIdentifier: "window", userInfo: [0xa0], isStored: true, age: 4, persistentIdentifier: "p",
      keywords: ["one"])
    return StoredState(snapshot, traits, version: 7, timeLeft: timeLeft)
  }

  @Test func everyAttributeSurvives() throws {
    for bits in UInt64(0)..<16 {
      let traits = StateTraits(bits: bits)
      #expect(traits.bits == bits)
      let told = state(traits, timeLeft: traits.expires ? 5 : nil)
      #expect(try DoorState.decode(try DoorState.encode(told)) == told)
    }
    #expect(StateTraits(bits: 16) == StateTraits(), "bits of a later version")
    for query in [
      StateQuery(), StateQuery(type: .browsingWeb, targetContentIdentifier: "w", after: Identifier(high: 1, low: 2)),
    ] {
      #expect(try StateQuery(query.dictionary) == query)
    }
  }

  /// A question that is not understood is not one about anything.
  @Test func whatIsNoQuestionIsRefused() throws {
    for (key, value) in [
      ("activity-type", BusValue.string("page")), ("activity-type", .uint32(1)),
      ("target", .string(String(repeating: "t", count: Limits.identifierLength + 1))), ("target", .bool(true)),
      ("after", .string("12")),
    ] {
      #expect(throws: SegueError.self) { try StateQuery(BusDictionary([(key, value)])) }
    }
    #expect(throws: SegueError.self) { try DoorState.decode([:]) }
  }
}
