import SegueClient
import SegueCore
import Testing

@Suite struct DocumentMachineTests {
  typealias Event = DocumentMachine.Event
  typealias Effect = DocumentMachine.Effect

  private static let type = activityType("a.text")
  private static let other = activityType("a.image")

  private static func activityType(_ string: String) -> ActivityType {
    guard let type = ActivityType(string) else { preconditionFailure("\(string) is not an activity type") }
    return type
  }

  private static let inside = DocumentMachine.Place(activityType: type, container: "notes")
  private static let outside = DocumentMachine.Place(activityType: type, container: nil)
  private static let undeclared = DocumentMachine.Place(activityType: nil, container: "notes")

  private func effects(_ events: [Event]) -> [Effect] {
    var machine = DocumentMachine()
    return events.flatMap { machine.handle($0) }
  }

  /// A document with an activity of the library's.
  private let automatic: [Event] = [.moved(hasFile: true), .found(inside, request: 1)]
  private let made: [Effect] = [.ask(request: 1), .attachNew(type)]

  @Test func R7_anActivityWhereTheTypeIsDeclaredAndTheFileIsShared() {
    #expect(effects(automatic) == made)
    #expect(effects([.moved(hasFile: true), .found(Self.outside, request: 1)]) == [.ask(request: 1)])
    #expect(effects([.moved(hasFile: true), .found(Self.undeclared, request: 1)]) == [.ask(request: 1)])
    #expect(effects([.moved(hasFile: false), .doubted, .found(Self.inside, request: 0)]) == [])
    // The same again changes nothing.
    #expect(effects(automatic + [.doubted, .found(Self.inside, request: 2)]) == made + [.ask(request: 2)])
  }

  @Test func R7_movingTheFile() {
    let moved = made + [.needsSave, .ask(request: 2)]
    let cases: [(event: [Event], effects: [Effect])] = [
      ([], []),
      ([.found(Self.inside, request: 2)], []),
      ([.found(Self.outside, request: 2)], [.end]),
      ([.found(Self.undeclared, request: 2)], [.end]),
      // The answer for the file that it was.
      ([.found(Self.outside, request: 1)], []),
      (
        [.found(Self.outside, request: 2), .doubted, .found(Self.inside, request: 3)],
        [.end, .ask(request: 3), .attachNew(Self.type)]
      ),
      ([.found(.init(activityType: Self.other, container: "notes"), request: 2)], [.end, .attachNew(Self.other)]),
    ]
    for (events, expected) in cases {
      #expect(effects(automatic + [.moved(hasFile: true)] + events) == moved + expected, "\(events)")
    }
    // Its file is gone for good, or not yet saved.
    #expect(effects(automatic + [.moved(hasFile: false), .found(Self.inside, request: 1)]) == made + [.end])
  }

  @Test func R7_closingEnds() {
    #expect(effects(automatic + [.closed, .closed, .moved(hasFile: true), .doubted]) == made + [.end])
    #expect(effects([.moved(hasFile: true), .closed, .found(Self.inside, request: 1)]) == [.ask(request: 1)])
    #expect(effects([.activitySet, .closed]) == [.detach])
  }

  @Test func R7_whatTheApplicationSetsStays() {
    let its: [Event] = [.moved(hasFile: true), .activitySet]
    // From now on userInfo may name the file.
    #expect(effects(its + [.found(Self.inside, request: 1)]) == [.ask(request: 1), .needsRound])
    #expect(effects(its + [.found(Self.outside, request: 1)]) == [.ask(request: 1)])
    #expect(
      effects(automatic + [.activitySet, .doubted, .found(Self.outside, request: 2)])
        == made + [.ask(request: 2), .needsRound])
    #expect(
      effects(automatic + [.activityEnded, .doubted, .found(Self.inside, request: 2)])
        == made + [.ask(request: 2)])
  }

  @Test func V15_theContinuedActivityIsTakenOver() {
    let opened: [Event] = [.moved(hasFile: true), .continued(Self.type)]
    #expect(effects(opened) == [.ask(request: 1)])
    #expect(effects(opened + [.found(Self.inside, request: 1)]) == [.ask(request: 1), .attachContinued])
    #expect(effects(opened + [.found(Self.outside, request: 1)]) == [.ask(request: 1)])
    #expect(effects(automatic + [.continued(Self.type)]) == made + [.attachContinued])
    // The continued activity's type is not this document's: the application declares that type on one device only.
    #expect(effects(automatic + [.continued(Self.other)]) == made)
    #expect(
      effects([.moved(hasFile: true), .continued(Self.other), .found(Self.inside, request: 1)]) == made)
    #expect(
      effects([.moved(hasFile: true), .activitySet, .continued(Self.type), .found(Self.inside, request: 1)])
        == [.ask(request: 1), .needsRound])
    // It is moved and closed like its own.
    #expect(
      effects(opened + [.found(Self.inside, request: 1), .moved(hasFile: true), .found(Self.outside, request: 2)])
        == [.ask(request: 1), .attachContinued, .needsSave, .ask(request: 2), .end])
  }
}
