import SegueClient
import SegueCore
import Testing

@Suite struct DeliveryMachineTests {
  typealias Event = DeliveryMachine.Event

  private static let error = SegueError(.userCancelled, "x")

  /// All effects of these events, in order; the sentence of closing is not the test's.
  private func effects(_ events: [Event]) -> [String] {
    var machine = DeliveryMachine()
    return events.flatMap { machine.handle($0) }.map { effect in
      switch effect {
      case .answerLaunch(let error): "answer \(error?.code.name ?? "well")"
      case .callDidFail(let error): "didFail \(error.code.name)"
      default: "\(effect)"
      }
    }
  }

  private let begun: [Event] = [.ready, .begun]
  private let announced = ["begin", "answer well", "callWillContinue"]

  @Test func V8_nothingBeforeReady() {
    #expect(effects([.begun, .claimed, .willReturned, .claimFailed(Self.error), .restored]) == [])
    #expect(effects([.ready, .ready]) == ["begin"])
  }

  @Test func V18_answeredOnlyWhenBegun() {
    #expect(effects(begun) == announced)
    #expect(effects([.ready, .beginFailed(Self.error)]) == ["begin", "answer UserCancelled", "ended"])
    #expect(effects([.closed]) == ["answer ApplicationExited", "ended"])
    #expect(effects([.ready, .closed]) == ["begin", "answer ApplicationExited", "ended"])
  }

  @Test func V1_continueOrFailOnceAfterWill() {
    let cases: [(events: [Event], effects: [String])] = [
      ([.willReturned, .claimed], ["callContinue"]),
      ([.claimed, .willReturned], ["callContinue"]),
      ([.willReturned, .claimFailed(Self.error)], ["didFail UserCancelled", "ended"]),
      ([.claimFailed(Self.error), .willReturned], ["didFail UserCancelled", "ended"]),
      // The connection ends behind the answer, or twice.
      ([.claimed, .claimFailed(Self.error), .willReturned], ["callContinue"]),
      ([.willReturned, .claimed, .claimFailed(Self.error), .claimed], ["callContinue"]),
      ([.claimFailed(Self.error), .claimed, .willReturned, .claimed], ["didFail UserCancelled", "ended"]),
      // It closes inside will_continue, or while it waits.
      ([.closed, .willReturned, .claimed], ["didFail ApplicationExited", "ended"]),
      ([.claimed, .closed, .willReturned], ["didFail ApplicationExited", "ended"]),
      ([.willReturned, .closed, .claimed], ["didFail ApplicationExited", "ended"]),
      // It closes inside continue.
      ([.willReturned, .claimed, .closed, .continueReturned(handled: true)], ["callContinue", "ended"]),
      ([.willReturned, .beginFailed(Self.error), .claimed], ["callContinue"]),
    ]
    for (events, expected) in cases { #expect(effects(begun + events) == announced + expected, "\(events)") }
  }

  @Test func V11_finishedWhenContinueReturnedAndAllIsRestored() {
    let before = announced + ["callContinue"]
    let well = ["finish(handled: true)", "ended"]
    let cases: [(events: [Event], effects: [String])] = [
      ([.continueReturned(handled: true)], []),
      ([.restored], []),
      ([.continueReturned(handled: true), .restored], well),
      ([.restored, .restored, .continueReturned(handled: true), .restored], well),
      ([.continueReturned(handled: true), .closed, .restored], ["ended"]),
      ([.continueReturned(handled: true), .restoreFailed, .restored], ["finish(handled: false)", "ended"]),
      ([.continueReturned(handled: true), .restored, .restoreFailed], well),
      // A payload that has arrived goes on without the daemon.
      ([.beginFailed(Self.error), .claimFailed(Self.error), .continueReturned(handled: true), .restored], well),
      ([.continueReturned(handled: true), .claimFailed(Self.error), .restored], well),
      ([.doorLost, .continueReturned(handled: true), .doorLost, .restored], well),
    ]
    for (events, expected) in cases {
      #expect(effects(begun + [.willReturned, .claimed] + events) == before + expected, "\(events)")
    }
  }

  @Test func X9_theNextDaemonGoesOnWithWhatWasAnnounced() {
    let back = ["awaitDaemon", "begin", "answer well"]
    let cases: [(events: [Event], effects: [String])] = [
      ([.willReturned, .doorLost, .relaunched, .begun, .claimed], back + ["callContinue"]),
      ([.doorLost, .willReturned, .relaunched, .begun, .claimed], back + ["callContinue"]),
      (
        [.willReturned, .doorLost, .relaunched, .begun, .claimFailed(Self.error)],
        back + ["didFail UserCancelled", "ended"]
      ),
      // It ends as well, and the one after that goes on.
      (
        [.willReturned, .doorLost, .relaunched, .doorLost, .relaunched, .begun, .claimed],
        ["awaitDaemon", "begin"] + back + ["callContinue"]
      ),
      ([.willReturned, .doorLost, .relaunched, .begun, .doorLost, .relaunched, .begun], back + back),
      // The next one does not want it, or there is none.
      (
        [.willReturned, .doorLost, .relaunched, .beginFailed(Self.error), .claimFailed(Self.error)],
        ["awaitDaemon", "begin", "answer UserCancelled", "didFail UserCancelled", "ended"]
      ),
      (
        [.willReturned, .doorLost, .waitedInVain(Self.error), .relaunched],
        ["awaitDaemon", "didFail UserCancelled", "ended", "answer NotFound"]
      ),
      ([.willReturned, .doorLost, .closed], ["awaitDaemon", "didFail ApplicationExited", "ended"]),
      (
        [.willReturned, .doorLost, .relaunched, .closed],
        ["awaitDaemon", "begin", "answer ApplicationExited", "didFail ApplicationExited", "ended"]
      ),
    ]
    for (events, expected) in cases { #expect(effects(begun + events) == announced + expected, "\(events)") }
  }

  /// will_continue may run the application's main loop, and a daemon be restarted meanwhile.
  @Test func X9_theNextDaemonComesInsideWillContinue() {
    let again = ["begin", "answer well"]
    let cases: [(events: [Event], effects: [String])] = [
      ([.doorLost, .relaunched, .begun, .willReturned, .claimed], again + ["callContinue"]),
      ([.doorLost, .relaunched, .begun, .claimed, .willReturned], again + ["callContinue"]),
      ([.doorLost, .relaunched, .willReturned, .begun, .claimed], again + ["callContinue"]),
      (
        [.doorLost, .relaunched, .begun, .claimFailed(Self.error), .willReturned],
        again + ["didFail UserCancelled", "ended"]
      ),
      // It does not want it, or goes away as well.
      (
        [.doorLost, .relaunched, .beginFailed(Self.error), .claimFailed(Self.error), .willReturned],
        ["begin", "answer UserCancelled", "didFail UserCancelled", "ended"]
      ),
      (
        [.doorLost, .relaunched, .doorLost, .relaunched, .begun, .willReturned, .claimed],
        ["begin", "begin", "answer well", "callContinue"]
      ),
      ([.doorLost, .relaunched, .doorLost, .willReturned], ["begin", "awaitDaemon"]),
      (
        [.doorLost, .relaunched, .closed, .willReturned],
        ["begin", "answer ApplicationExited", "didFail ApplicationExited", "ended"]
      ),
      // A claim that failed at the former daemon may succeed at this one.
      ([.claimFailed(Self.error), .relaunched, .begun, .claimed, .willReturned], again + ["callContinue"]),
      // A payload that has arrived is only announced to the next daemon.
      (
        [.claimed, .doorLost, .relaunched, .rejoined, .willReturned],
        ["rejoin", "answer well", "callContinue"]
      ),
      (
        [.claimed, .relaunched, .willReturned, .rejoined],
        ["rejoin", "callContinue", "answer well"]
      ),
      (
        [.claimed, .relaunched, .rejoinFailed(Self.error), .willReturned],
        ["rejoin", "answer UserCancelled", "callContinue"]
      ),
    ]
    for (events, expected) in cases { #expect(effects(begun + events) == announced + expected, "\(events)") }
  }

  @Test func X9_whatWasNotAnnouncedBeginsAnewAtTheNextDaemon() {
    #expect(
      effects([.ready, .doorLost, .relaunched, .begun])
        == ["begin", "awaitDaemon", "begin", "answer well", "callWillContinue"])
    #expect(
      effects([.ready, .doorLost, .waitedInVain(Self.error)])
        == ["begin", "awaitDaemon", "answer UserCancelled", "ended"])
    #expect(effects([.ready, .doorLost, .closed]) == ["begin", "awaitDaemon", "answer ApplicationExited", "ended"])
  }

  @Test func X9_theNextDaemonHearsHowItEnded() {
    let before = announced + ["callContinue"]
    let finish = "finish(handled: true)"
    let cases: [(events: [Event], effects: [String])] = [
      (
        [.doorLost, .relaunched, .rejoined, .continueReturned(handled: true), .restored],
        ["rejoin", "answer well", finish, "ended"]
      ),
      (
        [.continueReturned(handled: true), .doorLost, .relaunched, .rejoined, .restored],
        ["rejoin", "answer well", finish, "ended"]
      ),
      (
        [.continueReturned(handled: true), .restored, .relaunched, .rejoined],
        [finish, "ended", "rejoin", "answer well", finish]
      ),
      (
        [.continueReturned(handled: false), .openReturned(handled: false), .relaunched, .rejoined],
        ["callOpenDocument", "finish(handled: false)", "ended", "rejoin", "answer well", "finish(handled: false)"]
      ),
      (
        [.continueReturned(handled: true), .relaunched, .rejoinFailed(Self.error), .restored],
        ["rejoin", "answer UserCancelled", finish, "ended"]
      ),
    ]
    for (events, expected) in cases {
      #expect(effects(begun + [.willReturned, .claimed] + events) == before + expected, "\(events)")
    }
  }

  @Test func V7_whatContinueDidNotTakeIsOpened() {
    let before = announced + ["callContinue", "callOpenDocument"]
    let well = ["finish(handled: true)", "ended"]
    let badly = ["finish(handled: false)", "ended"]
    let cases: [(events: [Event], effects: [String])] = [
      ([], []),
      ([.openReturned(handled: false)], badly),
      ([.openReturned(handled: false), .restored], badly),
      ([.restored, .openReturned(handled: false)], badly),
      ([.openReturned(handled: true)], []),
      ([.openReturned(handled: true), .restored], well),
      ([.restored, .openReturned(handled: true), .restored], well),
      // Once, whatever comes again.
      ([.continueReturned(handled: true), .openReturned(handled: false), .openReturned(handled: true)], badly),
      ([.closed, .openReturned(handled: true), .restored], ["ended"]),
      ([.openReturned(handled: true), .closed, .restored], ["ended"]),
    ]
    for (events, expected) in cases {
      let all = begun + [.willReturned, .claimed, .continueReturned(handled: false)] + events
      #expect(effects(all) == before + expected, "\(events)")
    }
    // A document that continue's handler restored, without taking the activity, is not the opened document.
    let restored: [Event] = [.willReturned, .claimed, .restored, .continueReturned(handled: false)]
    #expect(effects(begun + restored + [.openReturned(handled: true)]) == before)
  }

  @Test func V7_onlyContinueOpensADocument() {
    #expect(effects(begun + [.openReturned(handled: true)]) == announced)
    #expect(
      effects(begun + [.willReturned, .claimed, .openReturned(handled: true), .continueReturned(handled: true)])
        == announced + ["callContinue"])
  }
}
