import SegueClient
import SegueCore
import Testing

@Suite struct RegistrationMachineTests {
  typealias Event = RegistrationMachine.Event

  private static let error = SegueError(.system, "x")
  /// To registered, without trouble.
  private let up: [Event] = [.start, .busConnected, .nameOwned, .doorReady]
  private let failed = Event.doorFailed(error, retry: true)
  private let refused = Event.doorFailed(error, retry: false)

  private func name(_ effect: RegistrationMachine.Effect) -> String {
    switch effect {
    case .retry(let time): "retry \(time)"
    case .report(.lost(let error)): "lost \(error.code.name)"
    case .report(let status): "\(status)"
    default: "\(effect)"
    }
  }

  /// The effects of each of the events after `before`.
  private func effects(_ before: [Event], _ events: [Event]) -> [[String]] {
    var machine = RegistrationMachine()
    for event in before { _ = machine.handle(event) }
    return events.map { event in machine.handle(event).map { name($0) } }
  }

  @Test func busThenNameAndDoor() {
    #expect(effects([], up) == [["connectBus"], ["requestName", "openDoor"], [], ["registered"]])
    // Either may come first.
    #expect(effects([.start, .busConnected], [.doorReady, .nameOwned]) == [[], ["registered"]])
    #expect(effects(up, [.start, .timer, .daemonOwner(present: true), .doorReady]) == [[], [], [], []])
  }

  @Test func aTakenNameIsToldAndOffersGoOn() {
    #expect(effects([.start, .busConnected], [.nameTaken, .doorReady]) == [[], ["nameTaken"]])
  }

  @Test func aNameThatIsRefusedIsToldAndNotAskedForAgain() {
    let refused: [Event] = [.start, .busConnected, .nameRefused(Self.error)]
    #expect(effects(Array(refused.dropLast()), [refused[2]]) == [["leaveDoor", "lost System"]])
    #expect(effects(Array(refused.dropLast()), [.doorReady, refused[2]]) == [[], ["leaveDoor", "lost System"]])
    #expect(effects(Array(refused.dropLast()), [self.refused, refused[2]]) == [["lost System"], []])
    let news: [Event] = [.timer, .start, .daemonOwner(present: true), .nameFree, .nameOwned, .doorReady, .doorLost]
    #expect(effects(refused, news) == [[], [], [], [], [], [], []])
    // Another bus may be another one in this as well.
    #expect(
      effects(refused, [.busLost, .timer, .busConnected]) == [
        ["lost ConnectionUnavailable", "retry 100"], ["connectBus"], ["requestName", "openDoor"],
      ])
    #expect(effects(up, [refused[2]]) == [[]])
    // A door from before is left as well, and is not opened any more.
    #expect(
      effects(up, [.busLost, .timer, .busConnected, refused[2], .doorLost, .timer]).suffix(3) == [
        ["leaveDoor", "lost System"], [], [],
      ])
  }

  @Test func aNameThatBecomesFreeIsTaken() {
    let taken: [Event] = [.start, .busConnected, .nameTaken, .doorReady]
    #expect(effects(taken, [.nameFree, .nameOwned]) == [["requestName"], ["registered"]])
    #expect(effects(taken, [.nameFree, .nameFree, .nameTaken]) == [["requestName"], [], []])
    // While the door is being opened as well.
    #expect(
      effects([.start, .busConnected, .nameTaken], [.nameFree, .doorReady, .nameOwned]) == [
        ["requestName"], [], ["registered"],
      ])
    #expect(effects(up, [.nameFree]) == [[]])
  }

  @Test func retriesAreTwiceAsLongUpToTheLimitAndBeginAnew() {
    var times: [[String]] = []
    var machine = RegistrationMachine()
    for _ in 0..<20 {
      #expect(machine.handle(.timer) == [.connectBus])
      times.append(machine.handle(.busFailed(Self.error)).map { name($0) })
    }
    let expected = [100, 200, 400, 800, 1_600, 3_200, Limits.reconnectTime, Limits.reconnectTime]
    #expect(times.first == ["lost System", "retry 100"])
    #expect(times.dropFirst().prefix(7).map { $0 } == expected.dropFirst().map { ["retry \($0)"] })
    #expect(times.last == ["retry \(Limits.reconnectTime)"])
    for event: Event in [.timer, .busConnected, .nameOwned] { _ = machine.handle(event) }
    #expect(machine.handle(failed).last == .retry(afterMilliseconds: 100))
  }

  @Test func theBusIsLostAndTheDoorStays() {
    #expect(
      effects(up, [.busLost, .timer, .timer, .busConnected, .nameOwned]) == [
        ["lost ConnectionUnavailable", "retry 100"], ["connectBus"], [], ["requestName"], ["registered"],
      ])
  }

  @Test func theBusIsLostWhileTheDoorOpens() {
    let opening = Array(up.prefix(3))
    // The door opens all the same, by its own connection.
    #expect(
      effects(opening, [.busLost, .doorReady, .timer, .busConnected, .nameOwned]) == [
        ["lost ConnectionUnavailable", "retry 100"], ["connectBus"], [], ["requestName"], ["registered"],
      ])
    // Or it does not: one of the two tries again.
    #expect(
      effects(opening, [.busLost, failed, .timer, .busConnected, .nameOwned, .doorReady]) == [
        ["lost ConnectionUnavailable", "retry 100"], ["lost System", "retry 200"], ["connectBus"],
        ["requestName", "openDoor"], [], ["registered"],
      ])
  }

  @Test func theDaemonComesBack() {
    #expect(
      effects(up, [.daemonOwner(present: false), .doorLost, .timer, .doorReady]) == [
        [], ["lost ConnectionUnavailable", "retry 100"], ["openDoor"], ["registered"],
      ])
    // The bus tells before the timer does; the timer finds nothing to do then.
    #expect(
      effects(up, [.doorLost, .daemonOwner(present: true), .timer, .doorReady, .timer]).dropFirst() == [
        ["openDoor"], [], ["registered"], [],
      ])
  }

  @Test func aDaemonThatWillNotDoIsWaitedOut() {
    let opening = Array(up.prefix(3))
    #expect(
      effects(opening, [refused, .daemonOwner(present: false), .daemonOwner(present: true), .doorReady]) == [
        ["lost System"], [], ["openDoor"], ["registered"],
      ])
    // The next daemon came while the last one was still refusing: that news is not lost.
    #expect(
      effects(opening, [.daemonOwner(present: false), .daemonOwner(present: true), refused, .doorReady]) == [
        [], [], ["lost System", "openDoor"], ["registered"],
      ])
    // One that refuses before the name is there is asked once more.
    #expect(
      effects([.start, .busConnected], [refused, .nameOwned, refused]) == [["lost System"], ["openDoor"], []])
    // It was started by the opening.
    #expect(
      effects(opening, [.daemonOwner(present: false), .daemonOwner(present: true), refused, refused]) == [
        [], [], ["lost System", "openDoor"], [],
      ])
    // The bus's first answer tells of the one that refuses.
    #expect(effects(opening, [.daemonOwner(present: true), refused]) == [[], ["lost System"]])
  }

  @Test func lateNewsChangeNothing() {
    let late: [Event] = [.busConnected, .busFailed(Self.error), .nameOwned, .nameTaken, failed, refused]
    for event in late { #expect(effects(up, [event]) == [[]], "\(event)") }
    for event: Event in [.doorReady, .doorLost, failed] { #expect(effects([.start], [event]) == [[]], "\(event)") }
  }
}
