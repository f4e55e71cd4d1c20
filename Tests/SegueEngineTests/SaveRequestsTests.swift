import SegueCore
import SegueEngine
import Testing

@Suite struct SaveRequestsTests {
  typealias Machine = SaveRequests<Int, Identifier, Int>

  private let one = Identifier(high: 0, low: 1)
  private let two = Identifier(high: 0, low: 2)
  private let error = SegueError(.handoffFailed, "x")

  private func snapshot(_ id: Identifier) -> Snapshot {
    Snapshot(id: id, revision: 1, type: .browsingWeb, userInfo: [0xa0])
  }

  @Test func S9_fetchesOfOneActivityShareASave() {
    var machine = Machine()
    #expect(machine.handle(.fetch(1, activity: one, line: nil)) == [.askApplication(activity: one)])
    #expect(machine.handle(.fetch(2, activity: two, line: nil)) == [.askApplication(activity: two)])
    #expect(machine.handle(.fetch(3, activity: one, line: nil)) == [])
    #expect(
      machine.handle(.saved(snapshot(one), activity: one)) == [
        .stopTimer(activity: one), .answer([1, 3], snapshot(one)),
      ])
    #expect(machine.handle(.saved(snapshot(one), activity: one)) == [])
    #expect(machine.handle(.failed(error, activity: two)) == [.stopTimer(activity: two), .fail([2], error)])
    #expect(machine.handle(.fetch(4, activity: one, line: nil)) == [.askApplication(activity: one)])
  }

  @Test func S6_silenceIsRemoteApplicationTimedOut() {
    var machine = Machine()
    _ = machine.handle(.fetch(1, activity: one, line: nil))
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
    for fetch in 1...2 { _ = machine.handle(.fetch(fetch, activity: one, line: nil)) }
    #expect(machine.handle(.abandoned(1)) == [])
    #expect(machine.handle(.abandoned(7)) == [])
    #expect(
      machine.handle(.saved(snapshot(one), activity: one)).last == .answer([2], snapshot(one)))
    // The round of somebody who is gone is joined, not begun again.
    _ = machine.handle(.fetch(3, activity: one, line: nil))
    _ = machine.handle(.abandoned(3))
    #expect(machine.handle(.fetch(4, activity: one, line: nil)) == [])
    #expect(machine.handle(.saved(snapshot(one), activity: one)).last == .answer([4], snapshot(one)))
  }

  private func id(_ number: Int) -> Identifier { Identifier(high: 0, low: UInt64(number)) }

  /// A device that wants ever another version of an activity has few saves at once, and its turn as each of them ends.
  @Test func attack33_aLineHasSoManySavesAtOnce() {
    var machine = Machine()
    for number in 1...Limits.savesPerDevice {
      #expect(machine.handle(.fetch(number, activity: id(number), line: 1)) == [.askApplication(activity: id(number))])
    }
    #expect(machine.handle(.fetch(10, activity: id(10), line: 1)) == [])
    #expect(machine.handle(.fetch(11, activity: id(11), line: 1)) == [])
    #expect(machine.handle(.fetch(12, activity: id(12), line: 1)) == [])
    // Another device does not wait for it, nor does this one.
    #expect(machine.handle(.fetch(20, activity: id(20), line: 2)) == [.askApplication(activity: id(20))])
    #expect(machine.handle(.fetch(30, activity: id(30), line: nil)) == [.askApplication(activity: id(30))])
    // A request that was abandoned has no turn, and leaves none.
    _ = machine.handle(.abandoned(10))
    _ = machine.handle(.abandoned(1))
    #expect(machine.handle(.fetch(13, activity: id(13), line: 1)) == [])
    #expect(
      machine.handle(.saved(snapshot(id(1)), activity: id(1))) == [
        .stopTimer(activity: id(1)), .answer([], snapshot(id(1))), .askApplication(activity: id(11)),
      ])
    #expect(machine.handle(.expired(activity: id(11))).last == .askApplication(activity: id(12)))
  }

  /// Two devices whose turn has not come want the same: one save is for both.
  @Test func S9_whoWaitsForTheSameShares() {
    var machine = Machine()
    for line in 1...2 {
      for number in 1...Limits.savesPerDevice {
        _ = machine.handle(.fetch(10 * line + number, activity: id(10 * line + number), line: line))
      }
      #expect(machine.handle(.fetch(line, activity: one, line: line)) == [])
    }
    #expect(machine.handle(.failed(error, activity: id(11))).last == .askApplication(activity: one))
    #expect(machine.handle(.failed(error, activity: id(21))).last == .fail([21], error))
    #expect(machine.handle(.saved(snapshot(one), activity: one)).last == .answer([1, 2], snapshot(one)))
    // So does who comes later, and need not wait.
    for number in 1...Limits.savesPerDevice { _ = machine.handle(.fetch(30, activity: id(30 + number), line: 3)) }
    #expect(machine.handle(.fetch(3, activity: two, line: 3)) == [])
    #expect(machine.handle(.fetch(4, activity: two, line: 4)) == [.askApplication(activity: two)])
    #expect(machine.handle(.saved(snapshot(two), activity: two)).last == .answer([3, 4], snapshot(two)))
  }
}
