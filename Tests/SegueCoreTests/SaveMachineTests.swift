import SegueCore
import Testing

@Suite struct SaveMachineTests {
  typealias Machine = SaveMachine<Int>

  private func effects(_ events: [Machine.Event]) -> [[Machine.Effect]] {
    var machine = Machine()
    return events.map { machine.handle($0) }
  }

  @Test func S1_manySetsAreOneRound() {
    let sets = [Machine.Event](repeating: .needsSave(true), count: 100)
    #expect(
      effects(sets + [.requested(1), .roundEnded, .requested(2)]).suffix(3) == [
        [.runRound], [.answer([1])], [.answer([2])],
      ])
  }

  @Test func S2_clearedBeforeTheRound() {
    var machine = Machine()
    _ = machine.handle(.needsSave(true))
    #expect(machine.needsSave)
    #expect(machine.handle(.requested(1)) == [.runRound])
    #expect(!machine.needsSave)
    #expect(machine.isRunning)
  }

  @Test func S3_setInACallbackItSurvives() {
    #expect(
      effects([.needsSave(true), .requested(1), .needsSave(true), .roundEnded, .requested(2), .roundEnded]) == [
        [], [.runRound], [], [.answer([1])], [.runRound], [.answer([2])],
      ])
  }

  @Test func S9_requestsInARoundShareIt() {
    #expect(
      effects([.needsSave(true), .requested(1), .requested(2), .needsSave(true), .requested(3), .roundEnded]) == [
        [], [.runRound], [], [], [], [.answer([1, 2, 3])],
      ])
  }

  @Test func S11_withoutNeedTheAnswerComesAtOnce() {
    #expect(
      effects([.requested(1), .needsSave(true), .needsSave(false), .requested(2)]) == [
        [.answer([1])], [], [], [.answer([2])],
      ])
    #expect(effects([.roundEnded]) == [[]])
  }
}

@Suite struct SaveRequestsTests {
  typealias Machine = SaveRequests<Int, Identifier>

  private let one = Identifier(high: 0, low: 1)
  private let two = Identifier(high: 0, low: 2)
  private let error = SegueError(.handoffFailed, "x")

  private func snapshot(_ id: Identifier) -> Snapshot {
    Snapshot(id: id, revision: 1, type: .browsingWeb, userInfo: [0xa0])
  }

  @Test func S9_fetchesOfOneActivityShareASave() {
    var machine = Machine()
    #expect(machine.handle(.fetch(1, activity: one)) == [.askApplication(activity: one)])
    #expect(machine.handle(.fetch(2, activity: two)) == [.askApplication(activity: two)])
    #expect(machine.handle(.fetch(3, activity: one)) == [])
    #expect(
      machine.handle(.saved(snapshot(one), activity: one)) == [
        .stopTimer(activity: one), .answer([1, 3], snapshot(one)),
      ])
    #expect(machine.handle(.saved(snapshot(one), activity: one)) == [])
    #expect(machine.handle(.failed(error, activity: two)) == [.stopTimer(activity: two), .fail([2], error)])
    #expect(machine.handle(.fetch(4, activity: one)) == [.askApplication(activity: one)])
  }

  @Test func S6_silenceIsRemoteApplicationTimedOut() {
    var machine = Machine()
    _ = machine.handle(.fetch(1, activity: one))
    guard case .fail(let fetches, let error)? = machine.handle(.expired(activity: one)).first else {
      Issue.record("no failure")
      return
    }
    #expect(fetches == [1])
    #expect(error.code == .remoteApplicationTimedOut)
    #expect(!error.advice.isEmpty)
    #expect(machine.handle(.saved(snapshot(one), activity: one)) == [])
    #expect(machine.handle(.expired(activity: one)) == [])
  }

  @Test func S9_whoIsGoneGetsNoAnswer() {
    var machine = Machine()
    for fetch in 1...2 { _ = machine.handle(.fetch(fetch, activity: one)) }
    #expect(machine.handle(.abandoned(1)) == [])
    #expect(machine.handle(.abandoned(7)) == [])
    #expect(
      machine.handle(.saved(snapshot(one), activity: one)).last == .answer([2], snapshot(one)))
    // The round of somebody who is gone is joined, not begun again.
    _ = machine.handle(.fetch(3, activity: one))
    _ = machine.handle(.abandoned(3))
    #expect(machine.handle(.fetch(4, activity: one)) == [])
    #expect(machine.handle(.saved(snapshot(one), activity: one)).last == .answer([4], snapshot(one)))
  }
}
