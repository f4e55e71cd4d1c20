import SegueCore
import Testing

@testable import SegueShell

@Suite struct ShellVisitsTests {
  private typealias Effect = ShellVisits.Effect

  /// A machine with a clock: `wake` effects set it, and are left out of the others.
  private struct Running {
    var machine = ShellVisits()
    var now: Instant = 1_000
    var wake: Instant?
    mutating func callAsFunction(_ event: ShellVisits.Event) -> [Effect] {
      machine.handle(event, at: now).filter { effect in
        guard case .wake(let time) = effect else { return true }
        wake = time
        return false
      }
    }
    mutating func wants(_ id: Int, _ device: String, activity: String = "") -> [Effect] {
      self(.wants(id, device: device, alias: "", activity: activity))
    }
    /// Everything that comes about by time alone within so many milliseconds.
    mutating func pass(_ time: UInt64) -> [Effect] {
      let end = now + time
      var effects: [Effect] = []
      while let wake, wake <= end {
        now = max(now, wake)
        effects += self(.timer)
      }
      now = end
      return effects
    }
  }

  private static let gone = SegueError(.notFound, "There is no such offer any more.")

  private func offer(_ device: String, _ activity: String) -> ShellVisits.Offer {
    ShellVisits.Offer(device: "alias of \(device)", name: device, activity: activity)
  }

  private func failure(of id: Int, in effects: [Effect]) -> String? {
    effects.compactMap { effect in
      if case .send(id, .failed(let reason)) = effect { reason } else { nil }
    }.first
  }

  @Test func whatADeviceOffersIsContinuedForTheViewerThatWantsIt() {
    var running = Running()
    #expect(running.wants(1, "desk") == [.send(1, .waits)])
    #expect(running(.offers([offer("attic", "a"), offer("desk", "b")])) == [.choose(activity: "b")])
    #expect(running.machine.isChoosing)
    #expect(running(.arrived(token: "t", from: "b", device: "desk")) == [.request(1, token: "t")])
    #expect(!running.machine.isChoosing)
    running.machine.device = "lap"
    #expect(running(.streams(1)) == [.pass(1, .stream(device: "desk", alias: "alias of desk", own: "lap"))])
    #expect(running(.gone(1)) == [.forget(token: "t")])
    #expect(running.machine.isEmpty && running.wake == nil)
  }

  @Test func whateverTheDeviceOffersByThenServesTheViewerOfADevice() {
    // Between the user's command and the service's first look another session may have taken the place of the first.
    var running = Running()
    _ = running(.offers([offer("desk", "first")]))
    _ = running(.offers([offer("desk", "second")]))
    #expect(running.wants(1, "desk") == [.send(1, .waits), .choose(activity: "second")])
  }

  @Test func theViewerOfOneActivityGetsNoOther() {
    var running = Running()
    #expect(running.wants(1, "desk", activity: "first") == [.send(1, .waits)])
    #expect(running(.offers([offer("desk", "second")])) == [])
    #expect(failure(of: 1, in: running.pass(15_000)) == "the session has ended, or is not shared any more")
    // Neither by what was continued for another viewer.
    #expect(running.wants(2, "desk").last == .choose(activity: "second"))
    #expect(running.wants(3, "desk", activity: "first") == [.send(3, .waits)])
    #expect(running(.arrived(token: "t", from: "second", device: "desk")) == [.request(2, token: "t")])
    #expect(running.wants(4, "desk", activity: "first") == [.send(4, .waits)])
    #expect(running.wants(5, "desk") == [.request(5, token: "t")])
    #expect(running(.offers([offer("desk", "first")])) == [.choose(activity: "first")])
    #expect(
      running(.arrived(token: "u", from: "first", device: "desk"))
        == [.request(3, token: "u"), .request(4, token: "u")])
  }

  @Test func aDeviceThatOffersNothingIsNotWaitedForWithoutEnd() {
    var running = Running()
    _ = running.wants(1, "desk")
    #expect(running.pass(14_999) == [])
    let reason = failure(of: 1, in: running.pass(1))
    #expect(reason == "\"desk\" has no session on offer; share one there: segue-shell share")
    #expect(running.wake == nil)
  }

  @Test func aChoiceThatNeitherComesNorFailsEndsAndOthersHaveTheirTurn() {
    var running = Running()
    _ = running(.offers([offer("desk", "a"), offer("attic", "b")]))
    #expect(running.wants(1, "desk").last == .choose(activity: "a"))
    running.now = running.now + 5_000
    #expect(running.wants(2, "attic") == [.send(2, .waits)])
    let effects = running.pass(10_000)
    #expect(failure(of: 1, in: effects) == "the session did not come within 15 seconds")
    #expect(effects.last == .choose(activity: "b"))
    #expect(running(.arrived(token: "t", from: "b", device: "attic")) == [.request(2, token: "t")])
    // One that comes after all is a new window's.
    #expect(running(.arrived(token: "u", from: "a", device: "desk")) == [.open(token: "u")])
  }

  @Test func whoIsHeldUpByAnothersChoiceIsNotToldThatThereIsNothing() {
    var running = Running()
    _ = running(.offers([offer("desk", "a"), offer("attic", "b")]))
    _ = running.wants(2, "attic", activity: "none")
    running.now = running.now + 1_000
    _ = running.wants(1, "desk")
    _ = running.wants(3, "attic")
    // The one that really waits in vain is told so; the others have still something to come.
    let effects = running.pass(14_500)
    #expect([1, 2, 3].map { failure(of: $0, in: effects) != nil } == [false, true, false])
    #expect(running.pass(500).last == .choose(activity: "b"))
  }

  @Test func aChoiceThatFailsHoldsUpNoOtherDevice() {
    var running = Running()
    _ = running(.offers([offer("desk", "a"), offer("attic", "b")]))
    _ = running.wants(1, "desk")
    _ = running.wants(2, "attic")
    #expect(running(.notChosen(activity: "a", Self.gone)) == [.choose(activity: "b")])
    // An answer to the first one that comes again is none to the second.
    #expect(running(.notChosen(activity: "a", Self.gone)) == [])
    #expect(running(.arrived(token: "t", from: "b", device: "attic")) == [.request(2, token: "t")])
    // It is tried again, less and less often, and at last its viewer is told why it does not come.
    var times = 0
    for _ in 0..<40 {
      let effects = running.pass(500)
      if effects.contains(.choose(activity: "a")) {
        times += 1
        #expect(running(.notChosen(activity: "a", Self.gone)) == [])
      }
      if let reason = failure(of: 1, in: effects) {
        #expect(reason == Self.gone.message)
        #expect(4...9 ~= times)
        return
      }
    }
    Issue.record("it was tried without end")
  }

  @Test func whatNobodyWaitsForOpensATerminal() {
    var running = Running()
    #expect(running(.arrived(token: "t", from: "a", device: "desk")) == [.open(token: "t")])
    #expect(running(.views(1, token: "t")) == [.request(1, token: "t")])
    #expect(
      running(.views(2, token: "t"))
        == [.send(2, .failed("this continuation is over; continue the session again")), .close(2)])
    #expect(running(.arrived(token: "u", from: "b", device: "desk")) == [.open(token: "u")])
    #expect(running(.notOpened(token: "u")) == [.refuse(token: "u"), .forget(token: "u")])
    #expect(running(.arrived(token: "v", from: "b", device: "desk")) == [.open(token: "v")])
    #expect(running.pass(15_000) == [.missed(token: "v"), .forget(token: "v")])
  }

  @Test func soManyAreLookedAtAndNoMore() {
    var running = Running()
    for id in 1...Limits.shellSessions { _ = running.wants(id, "desk") }
    #expect(
      running.wants(100, "desk") == [.send(100, .failed("64 sessions of other devices are looked at")), .close(100)])
    #expect(running(.arrived(token: "t", from: "a", device: "desk")).first == .refuse(token: "t"))
  }

  @Test func errorsThatStayAreToldAndOthersAreTriedAgain() {
    var running = Running()
    _ = running(.arrived(token: "t", from: "a", device: "desk"))
    _ = running(.views(1, token: "t"))
    let lost = SegueError(.connectionUnavailable, "away")
    #expect(running(.noStreams(1, token: "t", lost)) == [])
    #expect(running.pass(100) == [.request(1, token: "t")])
    // Too many streams are no reason to end what had some.
    let many = SegueError(.limitExceeded, "too many")
    _ = running(.streams(1))
    #expect(running(.again(1)) == [])
    #expect(running.pass(200) == [.request(1, token: "t")])
    #expect(running(.noStreams(1, token: "t", many)) == [])
    #expect(running.pass(400) == [.request(1, token: "t")])
    let old = SegueError(.versionMismatch, "too old")
    #expect(running(.noStreams(1, token: "t", old)) == [.send(1, .failed("too old"))])
    #expect(running(.noStreams(1, token: "t", Self.gone)) == [.send(1, .waits), .forget(token: "t")])
  }

  @Test func whileTheDaemonIsGoneNothingIsKnownToHaveEnded() {
    var running = Running()
    _ = running(.offers([offer("desk", "a")]))
    _ = running.wants(1, "desk")
    #expect(running(.daemonLost) == [])
    _ = running(.notChosen(activity: "a", Self.gone))
    #expect(running.pass(100_000) == [])
    #expect(running(.offers([offer("desk", "a")])) == [.choose(activity: "a")])
    #expect(running(.arrived(token: "t", from: "a", device: "desk")) == [.request(1, token: "t")])
    // Known again, it is waited for as ever.
    _ = running(.offers([]))
    _ = running(.noStreams(1, token: "t", Self.gone))
    #expect(failure(of: 1, in: running.pass(15_000)) == "the session has ended, or is not shared any more")
  }
}
