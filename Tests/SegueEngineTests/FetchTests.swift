import SegueCore
import Testing

@testable import SegueEngine

/// The answers to a fetch, at both of its ends.
@Suite struct FetchTests {
  // MARK: Where it continues

  /// A continuation of `offer` that waits for its state.
  private func chosen(_ trial: inout Trial, _ offer: Offer) throws -> (Effect.Launch, FetchID) {
    let effects = trial.handle(.control(1, .choose(offer.id, nil, activationToken: nil)))
    guard let launch = effects.launch, let (fetch, _) = effects.fetch else { throw Failure(effects) }
    trial.handle(.door(5, .registered(try appID(), .system)))
    trial.handle(.door(5, .begin(ticket: launch.ticket, showsFailure: false, 2)))
    trial.handle(.door(5, .claim(ticket: launch.ticket, 3)))
    return (launch, fetch)
  }

  /// The other device answers with another activity, or with one of another type.
  @Test(arguments: [(8, "com.example.reading"), (7, "com.example.writing")])
  func anotherActivityIsNotTaken(_ number: UInt64, _ name: String) throws {
    var trial = Trial()
    try trial.pair()
    let (_, fetch) = try chosen(&trial, try trial.offer(7))
    let snapshot = Snapshot(id: id(number), revision: 2, type: try type(name), userInfo: [0xa0])
    let effects = trial.handle(.link(.fetchAnswered(fetch, .snapshot(snapshot))))
    guard case .failed(let error)? = effects.reply(3) else { throw Failure(effects) }
    #expect(error.code == .protocolViolation)
  }

  /// Only this device decides that the link is lost.
  @Test func aChannelThatTheOtherEndsIsNoLostLink() throws {
    var trial = Trial()
    try trial.pair()
    let (_, fetch) = try chosen(&trial, try trial.offer(7))
    let effects = trial.handle(.link(.fetchLost(fetch, withLink: false)))
    guard case .failed(let error)? = effects.reply(3) else { throw Failure(effects) }
    #expect(error.code == .handoffFailed)
  }

  /// Only this device's user can cancel: a failure that another device calls a cancellation is shown all the same.
  @Test func anotherDeviceCannotCancel() throws {
    var trial = Trial()
    try trial.pair()
    let (_, fetch) = try chosen(&trial, try trial.offer(7))
    let effects = trial.handle(.link(.fetchAnswered(fetch, .failure(SegueError(.userCancelled, "x")))))
    guard case .failed(let error)? = effects.reply(3) else { throw Failure(effects) }
    #expect(error.code == .handoffFailed)
  }

  /// A ticket is shown by another application, or by a process that is less certainly the chosen application.
  @Test(arguments: [("com.example.Other", InstalledApplication.Tier.system), ("com.example.Reader", .user)])
  func attack32_aTicketOfAnother(_ name: String, _ tier: InstalledApplication.Tier) throws {
    var trial = Trial()
    try trial.pair()
    let offer = try trial.offer(7)
    let launch = try #require(trial.handle(.control(1, .choose(offer.id, nil, activationToken: nil))).launch)
    trial.handle(.door(5, .registered(try appID(name), tier)))
    let begun = trial.handle(.door(5, .begin(ticket: launch.ticket, showsFailure: false, 2)))
    guard case .failed(let error)? = begun.reply(2) else { throw Failure(begun) }
    #expect(error.code == .accessDenied)
  }

  /// An application reports that it has restored what another one was given.
  @Test func attack17_theEndOfAnothersContinuation() throws {
    var trial = Trial()
    try trial.pair()
    let offer = try trial.offer(7)
    let (launch, fetch) = try chosen(&trial, offer)
    let snapshot = Snapshot(id: offer.id, revision: 2, type: offer.type, userInfo: [0xa0])
    trial.handle(.link(.fetchAnswered(fetch, .snapshot(snapshot))))
    trial.handle(.door(6, .registered(try appID("com.example.Other"), .system)))
    trial.handle(.door(6, .finish(ticket: launch.ticket, handled: true)))
    #expect(trial.engine.journal.running.map { $0.id } == [launch.continuation])
    trial.handle(.door(5, .finish(ticket: launch.ticket, handled: true)))
    #expect(trial.engine.journal.running.isEmpty)
  }

  // MARK: Where it comes from

  /// An application that has an activity on offer, as session 5.
  private func offering(isEligible: Bool = true, policy: Policy = Policy()) throws -> Trial {
    var trial = Trial(policy: policy)
    try trial.pair()
    trial.handle(.door(5, .registered(try appID(), .system)))
    let activity = DoorActivity(
      id: id(3), revision: 1, type: try type(), title: nil, webHost: nil, isEligible: isEligible)
    trial.handle(.door(5, .setCurrent(activity, 1)))
    _ = trial.wait(Limits.returnTime)
    return trial
  }

  private func fetch(_ trial: inout Trial, as name: String = "com.example.Reader") throws -> [Effect] {
    let request = FetchRequest(continuation: id(9), activity: id(3), appID: try appID(name))
    return trial.handle(.link(.fetchAsked(ChannelID(value: 1), Trial.other, request)))
  }

  private func refusal(_ effects: [Effect]) -> SegueError? {
    guard effects.saves.isEmpty, case .answerFetch(_, .failure(let error))? = effects.first else { return nil }
    return error
  }

  @Test func anotherApplicationFetchesNothing() throws {
    var trial = try offering()
    #expect(refusal(try fetch(&trial, as: "com.example.Other"))?.code == .accessDenied)
    #expect(try fetch(&trial).saves.count == 1)
  }

  @Test func C6_whatIsNotEligibleIsNotFetched() throws {
    var trial = try offering(isEligible: false)
    #expect(refusal(try fetch(&trial))?.code == .handoffFailed)
  }

  @Test func V17_whatIsWithheldIsNotFetched() throws {
    var policy = Policy()
    policy.sharing.applications = [try appID()]
    var trial = try offering(policy: policy)
    #expect(refusal(try fetch(&trial))?.code == .handoffFailed)
  }

  /// An application answers a save with an activity that it was not asked for, or with one of another type.
  @Test(arguments: [(4, "com.example.reading"), (3, "com.example.writing")])
  func anotherActivityIsNotSent(_ number: UInt64, _ name: String) throws {
    var trial = try offering()
    let save = try #require(try fetch(&trial).saves.first)
    let snapshot = Snapshot(id: id(number), revision: 1, type: try type(name), userInfo: [0xa0])
    #expect(refusal(trial.handle(.door(5, .saved(save, .success(snapshot)))))?.code == .protocolViolation)
  }

  /// An application answers in place of another one.
  @Test func anotherSessionsAnswerIsNotTaken() throws {
    var trial = try offering()
    let save = try #require(try fetch(&trial).saves.first)
    trial.handle(.door(6, .registered(try appID("com.example.Other"), .system)))
    let snapshot = Snapshot(id: id(3), revision: 1, type: try type(), userInfo: [0xa0])
    #expect(trial.handle(.door(6, .saved(save, .success(snapshot)))).isEmpty)
    #expect(!trial.handle(.door(5, .saved(save, .success(snapshot)))).isEmpty)
  }

  /// A device asks for ever other versions of an offered activity, and waits for none of them.
  @Test func attack33_everOtherVersionsAreFewQuestions() throws {
    var trial = try offering()
    trial.handle(
      .paired([
        Event.PairedName(device: Trial.other, name: "desk"), Event.PairedName(device: Trial.third, name: "tower"),
      ]))
    trial.handle(.link(.up(Trial.third, name: "Tower")))
    func ask(_ channel: UInt64, version: UInt64, by device: DeviceID) throws -> [SaveID] {
      let request = FetchRequest(continuation: id(channel), activity: id(3), appID: try appID(), version: version)
      return trial.handle(.link(.fetchAsked(ChannelID(value: channel), device, request))).saves
    }
    var saves: [SaveID] = []
    for number in 100..<UInt64(1_100) {
      saves += try ask(number, version: number, by: Trial.other)
      trial.handle(.link(.channelClosed(ChannelID(value: number))))
    }
    #expect(saves.count == Limits.savesPerDevice)
    // Another device is served meanwhile.
    let save = try #require(try ask(2_000, version: 1, by: Trial.third).first)
    let snapshot = Snapshot(id: id(3), revision: 1, type: try type(), userInfo: [0xa0])
    #expect(trial.handle(.door(5, .saved(save, .success(snapshot)))).fetchAnswers == [.snapshot(answered(snapshot))])
    // The first device is served too, when the application has answered.
    #expect(try ask(2_001, version: 1, by: Trial.other).isEmpty)
    let next = trial.handle(.door(5, .saved(saves[0], .success(snapshot)))).saves
    #expect(next.count == 1)
    #expect(trial.handle(.door(5, .saved(try #require(next.first), .success(snapshot)))).fetchAnswers.count == 1)
    // The other requests have left no trace.
    #expect(trial.handle(.door(5, .saved(saves[1], .success(snapshot)))).saves.isEmpty)
    #expect(trial.wait(Limits.saveTime).fetchAnswers.isEmpty)
  }

  /// The snapshot as it is sent, with the time that the save took.
  private func answered(_ snapshot: Snapshot) -> Snapshot {
    var snapshot = snapshot
    snapshot.saveTime = 0
    return snapshot
  }
}
