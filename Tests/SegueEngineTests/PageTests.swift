import SegueCore
import Testing

@testable import SegueEngine

/// The link of an activity's page, for a phone (semantics X13).
@Suite struct PageTests {
  private func trial(host: String? = "a.example", policy: Policy = Policy()) throws -> Trial {
    var trial = Trial(policy: policy)
    try trial.pair()
    trial.handle(.door(5, .registered(try appID(), .system)))
    let activity = DoorActivity(
      id: id(7), revision: 1, type: try type(), title: "Here", webHost: host, isEligible: true)
    trial.handle(.door(5, .setCurrent(activity, 1)))
    return trial
  }

  private func page(_ url: String?, _ trial: inout Trial) throws -> Effect.Reply? {
    let save = try #require(trial.handle(.control(9, .page(nil))).saves.first)
    let snapshot = Snapshot(id: id(7), revision: 1, type: try type(), webpageURL: url, userInfo: [0xa0])
    return trial.handle(.door(5, .saved(save, .success(snapshot)))).reply(9)
  }

  @Test func X13_theApplicationIsAskedForItsPage() throws {
    var trial = try trial()
    guard case .page(let url)? = try page("https://a.example/film?t=7", &trial) else {
      throw SegueError(.system, "none")
    }
    #expect(url.string == "https://a.example/film?t=7")
  }

  @Test(arguments: ["http://a.example/", nil])
  func X13_onlyAnHTTPSLinkIsSent(_ url: String?) throws {
    var trial = try trial()
    guard case .failed(let error)? = try page(url, &trial) else { throw SegueError(.system, "no failure") }
    #expect(error.code == .invalidArgument)
  }

  @Test func X13_whatHasNoPageIsNotSent() throws {
    var trial = try trial(host: nil)
    #expect(trial.handle(.control(9, .page(nil))).failure(9)?.code == .notFound)
    #expect(trial.handle(.control(9, .page(id(7)))).failure(9)?.code == .invalidArgument)
    #expect(trial.handle(.control(9, .page(id(8)))).failure(9)?.code == .notFound)
  }

  @Test func X13_aSurfaceKnowsWhetherThereIsAPage() throws {
    for host in ["a.example", nil] {
      var trial = try trial(host: host)
      // The other device takes nothing, so that a page is for a phone at most.
      #expect(trial.engine.sendable(at: trial.moment)?.hasPage == (host == nil ? nil : true))
      trial.handle(.link(.message(Trial.other, .offers(sequence: 1, [], takes: [.activity]))))
      #expect(trial.engine.sendable(at: trial.moment)?.hasPage == (host != nil))
      trial.handle(.locked(true))
      #expect(trial.engine.sendable(at: trial.moment) == nil)
    }
  }

  @Test func X13_theUsersChoicesHold() throws {
    var withheld = Policy()
    withheld.sharing.applications = [try appID()]
    var trial = try trial(policy: withheld)
    #expect(trial.handle(.control(9, .page(id(7)))).failure(9)?.code == .notFound)
    var paused = SharingChoices()
    paused.pause = .untilResumed
    trial = try self.trial()
    trial.handle(.sharing(paused))
    #expect(trial.handle(.control(9, .page(nil))).failure(9)?.code == .accessDenied)
  }
}
