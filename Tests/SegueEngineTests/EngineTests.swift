import SegueCore
import Testing

@testable import SegueEngine

@Suite struct EngineTests {
  @Test func anEngineIsMadeInThreeLines() throws {
    let settings = EngineSettings(device: .number(1), deviceName: "lap", boot: "boot")
    var engine = Engine(settings, at: Moment(instant: 0, seconds: 0, microseconds: 0))
    let effects = engine.handle(
      .control(1, .choose(id(1), nil, activationToken: nil)), at: Moment(instant: 0, seconds: 0, microseconds: 0))
    guard case .wake(10_000)? = effects.first else { throw Failure(effects) }
  }

  /// All steps of a continuation, on the continuing side.
  @Test func anOfferIsContinued() throws {
    var trial = Trial()
    try trial.pair()
    let offer = try trial.offer(7)
    let chosen = trial.handle(.control(1, .choose(offer.id, nil, activationToken: nil)))
    let launch = try #require(chosen.launch)
    let (fetch, request) = try #require(chosen.fetch)
    #expect(request.activity == offer.id && launch.startsIt)
    // The state that must outlive the daemon is written before anybody hears of it, the other device first.
    let order = chosen.compactMap { effect in
      switch effect {
      case .fetch: "fetch"
      case .record: "record"
      case .launch: "launch"
      default: nil
      }
    }
    #expect(order == ["record", "fetch", "launch"])
    let journal = try #require(chosen.record)
    #expect(journal.running.map { $0.id } == [launch.continuation])
    trial.handle(.door(5, .registered(try appID(), .system)))
    let begun = trial.handle(.door(5, .begin(ticket: launch.ticket, showsFailure: false, 2)))
    guard case .begun(let info)? = begun.reply(2) else { throw Failure(begun) }
    #expect(info.deviceName == "desk" && info.title == "A page")
    trial.handle(.door(5, .claim(ticket: launch.ticket, 3)))
    let snapshot = Snapshot(id: offer.id, revision: 2, type: offer.type, userInfo: [0xa0])
    let claimed = trial.handle(.link(.fetchAnswered(fetch, .snapshot(snapshot))))
    guard case .claimed(snapshot)? = claimed.reply(3) else { throw Failure(claimed) }
    let ended = trial.handle(.door(5, .finish(ticket: launch.ticket, handled: true)))
    guard case .continuation(launch.continuation)? = ended.reply(1) else { throw Failure(ended) }
    #expect(trial.engine.journal.running.isEmpty && trial.engine.journal.untold.count == 1)
    // The offer is hidden until its activity changes (semantics V15).
    #expect(trial.engine.list(at: trial.moment).isEmpty)
    #expect(trial.engine.last?.error == nil)
  }

  /// A choice that is made before applications can be launched does not belong to an earlier daemon.
  @Test func X9_whatThisDaemonHasBegunIsNotTakenUpAgain() throws {
    var trial = Trial()
    try trial.pair()
    let offer = try trial.offer(7)
    trial.handle(.control(1, .choose(offer.id, nil, activationToken: nil)))
    #expect(trial.handle(.canLaunch).launch == nil)
  }

  /// A choice takes the place of an earlier daemon's continuation, which is resumed first.
  @Test func V3_aChoiceWaitsForWhatIsTakenUp() throws {
    var first = Trial()
    try first.pair()
    let former = try first.offer(7)
    first.handle(.control(1, .choose(former.id, nil, activationToken: nil)))
    var trial = Trial(journal: first.engine.journal)
    try trial.pair()
    let offer = try trial.offer(8)
    #expect(trial.handle(.control(1, .choose(offer.id, nil, activationToken: nil))).launch == nil)
    let effects = trial.handle(.canLaunch)
    #expect(trial.engine.journal.running.map { $0.offer.id } == [offer.id])
    let failed = effects.signals.filter {
      if case .continuationChanged(_, .failed) = $0 { return true }
      return false
    }
    #expect(failed.count == 1)
  }

  /// The choice takes that place even if applications cannot be launched for as long as a choice may wait.
  @Test func V3_aChoiceTakesThePlaceOfWhatWasNotTakenUp() throws {
    var first = Trial()
    try first.pair()
    let former = try first.offer(7)
    first.handle(.control(1, .choose(former.id, nil, activationToken: nil)))
    var trial = Trial(journal: first.engine.journal)
    try trial.pair()
    let offer = try trial.offer(8)
    trial.handle(.control(1, .choose(offer.id, nil, activationToken: nil)))
    #expect(trial.wait(Limits.fetchTime).launch != nil)
    #expect(trial.engine.journal.running.map { $0.offer.id } == [offer.id])
    #expect(trial.handle(.canLaunch).launch == nil)
    #expect(trial.engine.journal.running.map { $0.offer.id } == [offer.id])
  }

  /// Two choices wait for one device. When it comes, one takes the other's place before any effect of that.
  @Test func V3_whatIsReplacedInItsFirstTurnIsNotLaunched() throws {
    var trial = Trial()
    try trial.befriend()
    for number in [7, 8] as [UInt64] {
      trial.handle(.control(number, .choose(id(number), nil, activationToken: nil)))
    }
    trial.handle(.link(.up(Trial.other, name: "Desk")))
    let offers = try [7, 8].map {
      Offer(id: id($0), revision: 1, type: try type(), appID: try appID(), title: "A page")
    }
    let effects = trial.handle(.link(.message(Trial.other, .offers(sequence: 1, offers))))
    let launched = effects.compactMap { effect -> Identifier? in
      if case .launch(let launch) = effect { launch.continuation } else { nil }
    }
    #expect(trial.engine.journal.running.map { $0.offer.id } == [id(8)])
    #expect(launched == trial.engine.journal.running.map { $0.id })
    guard case .failed(let error)? = effects.reply(7) else { throw Failure(effects) }
    #expect(error.code == .userCancelled)
  }

  /// A choice of an activity that may have been on offer before the start waits for its device's applications, too.
  @Test func X9_aDeviceThatComesBackMayNeedAMomentForItsApplications() throws {
    var trial = Trial()
    try trial.befriend()
    trial.handle(.link(.unreached(Trial.other, isSilent: true)))
    let chosen = trial.handle(.control(1, .choose(id(7), nil, activationToken: nil)))
    #expect(chosen.reply(1) == nil)
    trial.handle(.link(.up(Trial.other, name: "Desk")))
    let empty = trial.handle(.link(.message(Trial.other, .offers(sequence: 1, []))))
    #expect(empty.reply(1) == nil)
    _ = try trial.offer(7, sequence: 2)
    #expect(trial.last.launch != nil)
  }

  /// The continuation of an earlier daemon is not fetched from a device that was removed meanwhile.
  @Test func V14_aRemovedDeviceIsNotAskedAfterARestart() throws {
    var first = Trial()
    try first.pair()
    let offer = try first.offer(7)
    first.handle(.control(1, .choose(offer.id, nil, activationToken: nil)))
    var trial = Trial(journal: first.engine.journal)
    try trial.pair()
    trial.handle(.paired([]))
    #expect(trial.handle(.canLaunch).fetch == nil)
  }

  /// A continuation that was under way when the machine was restarted is over, whatever the new boot's clock says.
  @Test func X9_whatRanBeforeAReboot() throws {
    var first = Trial()
    try first.pair()
    let offer = try first.offer(7)
    first.handle(.control(1, .choose(offer.id, nil, activationToken: nil)))
    for boot in ["boot", "later"] {
      var trial = Trial(journal: first.engine.journal, boot: boot)
      try trial.pair()
      let resumed = trial.handle(.canLaunch)
      // An application that still waits for it is told, and none is started.
      #expect(resumed.launch?.startsIt == (boot == "boot"))
      #expect((resumed.fetch != nil) == (boot == "boot"))
    }
  }

  /// A device that was removed a moment ago still has its link: it is neither read nor sent messages on it any more.
  @Test func V14_aRemovedDeviceGetsNothingOnItsLastLink() throws {
    var trial = Trial()
    try trial.pair()
    trial.handle(.door(5, .registered(try appID(), .system)))
    let activity = DoorActivity(
      id: id(3), revision: 1, type: try type(), title: nil, webHost: nil, isEligible: true)
    trial.handle(.door(5, .setCurrent(activity, 1)))
    _ = trial.wait(Limits.returnTime)
    let request = FetchRequest(continuation: id(9), activity: id(3), appID: try appID())
    let asked = trial.handle(.link(.fetchAsked(ChannelID(value: 1), Trial.other, request)))
    guard case .askSave(let save, _, _, _)? = asked.first(where: { if case .askSave = $0 { true } else { false } })
    else { throw Failure(asked) }
    trial.handle(.paired([]))
    let snapshot = Snapshot(id: id(3), revision: 1, type: try type(), userInfo: [0xa0])
    let saved = trial.handle(.door(5, .saved(save, .success(snapshot))))
    guard case .answerFetch(_, .failure(let error))? = saved.first else { throw Failure(saved) }
    #expect(error.code == .accessDenied)
    trial.handle(.door(5, .resign(id(3))))
    let other = DoorActivity(id: id(4), revision: 1, type: try type(), title: nil, webHost: nil, isEligible: true)
    let effects = trial.handle(.door(5, .setCurrent(other, 2)))
    #expect(!effects.contains { if case .send = $0 { true } else { false } })
  }

  /// A ticket belongs to the session that showed it first, however many processes of the application run.
  @Test func V8_aTicketIsOfOneSession() throws {
    var trial = Trial()
    try trial.pair()
    let offer = try trial.offer(7)
    let launch = try #require(trial.handle(.control(1, .choose(offer.id, nil, activationToken: nil))).launch)
    trial.handle(.door(5, .registered(try appID(), .system)))
    trial.handle(.door(6, .registered(try appID(), .system)))
    trial.handle(.door(5, .begin(ticket: launch.ticket, showsFailure: false, 2)))
    let second = trial.handle(.door(6, .begin(ticket: launch.ticket, showsFailure: false, 3)))
    guard case .failed(let error)? = second.reply(3) else { throw Failure(second) }
    #expect(error.code == .notFound)
    let claimed = trial.handle(.door(6, .claim(ticket: launch.ticket, 4)))
    guard case .failed? = claimed.reply(4) else { throw Failure(claimed) }
  }

  /// A second claim does not replace the first one.
  @Test func V8_aTicketIsClaimedOnce() throws {
    var trial = Trial()
    try trial.pair()
    let offer = try trial.offer(7)
    let chosen = trial.handle(.control(1, .choose(offer.id, nil, activationToken: nil)))
    let (launch, fetch) = (try #require(chosen.launch), try #require(chosen.fetch).0)
    trial.handle(.door(5, .registered(try appID(), .system)))
    trial.handle(.door(5, .begin(ticket: launch.ticket, showsFailure: false, 2)))
    #expect(trial.handle(.door(5, .claim(ticket: launch.ticket, 3))).reply(3) == nil)
    #expect(trial.handle(.door(5, .claim(ticket: launch.ticket, 4))).failure(4)?.code == .notFound)
    let snapshot = Snapshot(id: offer.id, revision: 2, type: offer.type, userInfo: [0xa0])
    let answered = trial.handle(.link(.fetchAnswered(fetch, .snapshot(snapshot))))
    guard case .claimed(snapshot)? = answered.reply(3) else { throw Failure(answered) }
  }

  /// A peer offers an activity that no application here continues: of a type that the application does not declare, or
  /// of an application that is not installed. No application is launched, whatever the peer says, and no state is
  /// fetched.
  @Test(arguments: [("com.example.reading", "com.example.Other"), ("com.example.writing", "com.example.Reader")])
  func attack31_whatIsNotDeclaredHereIsNotLaunched(_ name: String, _ application: String) throws {
    var trial = Trial()
    try trial.pair()
    let offer = Offer(
      id: id(7), revision: 1, type: try type(name), appID: try appID(application), title: "A page")
    trial.handle(.link(.message(Trial.other, .offers(sequence: 1, [offer]))))
    let chosen = trial.handle(.control(1, .choose(offer.id, nil, activationToken: nil)))
    guard case .failed? = chosen.reply(1) else { throw Failure(chosen) }
    #expect(chosen.launch == nil && chosen.fetch == nil)
    // The same holds if the user is said to have chosen the application.
    let named = trial.handle(.control(2, .choose(offer.id, try appID(), activationToken: nil)))
    guard case .failed? = named.reply(2) else { throw Failure(named) }
    #expect(named.launch == nil && named.fetch == nil)
  }

  /// A peer that restarts begins to count anew; the largest number of all does not lock it out.
  @Test func attack18_aDeviceIsHeardAnewOnItsNextLink() throws {
    var trial = Trial()
    try trial.pair()
    _ = try trial.offer(7, sequence: UInt64.max >> 1)
    _ = try trial.offer(8, sequence: 1)
    #expect(trial.engine.list(at: trial.moment).map { $0.offer.id } == [id(7)])
    trial.handle(.link(.down(Trial.other)))
    trial.handle(.link(.up(Trial.other, name: "Desk")))
    _ = try trial.offer(8, sequence: 1)
    #expect(trial.engine.list(at: trial.moment).map { $0.offer.id } == [id(8)])
  }

  /// An effect that fails at once does not overtake those beside it.
  @Test func whatFailsAtOnceIsDoneLater() throws {
    var trial = Trial()
    try trial.pair()
    let offer = try trial.offer(7)
    trial.handle(.link(.down(Trial.other)))
    let chosen = trial.handle(.control(1, .choose(offer.id, nil, activationToken: nil)))
    let launch = try #require(chosen.launch)
    #expect(
      chosen.signals == [
        .continuationChanged(launch.continuation, .launching), .continuationChanged(launch.continuation, .waiting),
      ])
    #expect(chosen.fetch == nil)
    #expect(trial.handle(.link(.up(Trial.other, name: "Desk"))).fetch?.1.activity == offer.id)
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ effects: [Effect]) { description = "\(effects)" }
}
