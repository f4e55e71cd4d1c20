import SegueCore
import Testing

@testable import SegueEngine

/// What is on its way, as user interfaces show it and the user stops it.
@Suite struct TransfersTests {
  /// Session 5 has claimed continuation 30, of the other device's activity 3.
  private func continuing() throws -> Trial {
    var trial = Trial()
    try trial.pairTwo()
    trial.handle(.door(5, .registered(try appID(), .system)))
    trial.engine.streams.claimed(
      Streams.Claim(continuation: id(30), session: 5, activity: id(3), source: .device(Trial.other)))
    return trial
  }

  /// Activity 3 was given to the other device by continuation 9.
  private func origin() throws -> Trial {
    var trial = Trial()
    try trial.pairTwo()
    try trial.show(3)
    try trial.give(9, 3)
    trial.handle(.link(.message(Trial.other, .continued(try trial.notice(9, 3)))))
    return trial
  }

  private func states(_ trial: Trial) -> [Transfer.State] { trial.engine.transfers.map { $0.state } }

  @Test func aFileThatIsBroughtIsShownUntilItIsThere() throws {
    var trial = try continuing()
    let asked = trial.handle(
      .door(5, .bringFile(continuation: id(30), url: "file:///films/a%20b.pdf", transfer: 1, 101)))
    #expect(asked.signals.contains(.transfersChanged))
    var row = try #require(trial.engine.transfers.first)
    #expect(row.id == .file(1) && row.isIncoming && row.state == .asked && row.name == "a b.pdf")
    #expect(row.deviceName == "desk" && row.appName == "Reader" && row.size == nil)
    trial.handle(.file(.progressed(1, done: 5, of: 10)))
    row = try #require(trial.engine.transfers.first)
    #expect(row.state == .open && row.done == 5 && row.size == 10)
    trial.handle(.link(.down(Trial.other)))
    trial.handle(.file(.interrupted(1)))
    #expect(states(trial) == [.interrupted])
    trial.handle(.link(.up(Trial.other, name: "Desk")))
    #expect(states(trial) == [.asked])
    trial.handle(.file(.brought(1, BroughtFile(path: "/cache/a", size: 10, digest: []))))
    #expect(trial.engine.transfers.isEmpty)
  }

  @Test func aFileThatIsStoppedHereIsDropped() throws {
    var trial = try continuing()
    trial.handle(.door(5, .bringFile(continuation: id(30), url: "file:///a", transfer: 1, 101)))
    let stopped = trial.handle(.control(7, .stop(.file(1))))
    guard case .done? = stopped.reply(7) else { throw Failure(stopped) }
    #expect(stopped.files == [.drop(1, .userCancelled)] && stopped.failure(101)?.code == .userCancelled)
    #expect(trial.handle(.control(8, .stop(.file(1)))).failure(8)?.code == .notFound)
  }

  @Test func aFileThatIsGivenIsShownAndStopped() throws {
    var trial = try origin()
    let request = FileRequest(continuation: id(9), activity: id(3), url: "file:///films/film")
    trial.handle(.link(.fileAsked(ChannelID(value: 20), Trial.other, request)))
    #expect(states(trial) == [.asked])
    trial.handle(.door(5, .openedFile(1, nil)))
    trial.handle(.file(.sent(1, done: 5, of: 10)))
    let row = try #require(trial.engine.transfers.first)
    #expect(row.id == .file(1) && !row.isIncoming && row.name == "film" && row.done == 5 && row.size == 10)
    let stopped = trial.handle(.control(7, .stop(.file(1))))
    #expect(stopped.files == [.end(1, .userCancelled)])
    #expect(trial.engine.transfers.isEmpty)
  }

  @Test func aStreamIsShownAndStoppedOnEitherSide() throws {
    var trial = try continuing()
    trial.handle(.door(5, .openStream(continuation: id(30), 101)))
    let row = try #require(trial.engine.transfers.first)
    #expect(row.id == .stream(1) && row.isIncoming && row.state == .asked && row.name == nil)
    trial.handle(.stream(.answered(1, nil)))
    #expect(states(trial) == [.open])
    let stopped = trial.handle(.control(7, .stop(.stream(1))))
    guard
      case .stream(.end(1, let error, tell: 5))? = stopped.first(where: {
        if case .stream = $0 { true } else { false }
      })
    else { throw Failure(stopped) }
    #expect(error.code == .userCancelled)
    trial = try origin()
    let request = StreamRequest(continuation: id(9), activity: id(3))
    trial.handle(.link(.streamAsked(ChannelID(value: 20), Trial.other, request)))
    #expect(trial.engine.transfers.map { $0.isIncoming } == [false])
    trial.handle(.control(7, .stop(.stream(1))))
    #expect(trial.engine.transfers.isEmpty)
  }

  /// However fast bytes pass, user interfaces are told at a bounded rate.
  @Test func changesAreToldAtABoundedRate() throws {
    var trial = try continuing()
    trial.handle(.door(5, .bringFile(continuation: id(30), url: "file:///a", transfer: 1, 101)))
    let told = (1...1000).count { number in
      trial.handle(.file(.progressed(1, done: UInt64(number), of: 2000))).signals.contains(.transfersChanged)
    }
    #expect(told < 20)
    // Nothing is said if nothing has changed.
    #expect(trial.handle(.woke).signals.isEmpty)
  }

  @Test func idsAreReadAsTheyAreWritten() {
    for id in [Transfer.ID.file(7), .stream(.max)] { #expect(Transfer.ID(id.description) == id) }
    for text in ["", "file", "file-", "file-x", "disk-7", "file-7-", "file-99999999999999999999", "file--7"] {
      #expect(Transfer.ID(text) == nil, "\(text)")
    }
  }

  // MARK: Continuations

  @Test func aContinuationIsCancelledUntilTheApplicationHasTheState() throws {
    var trial = Trial()
    try trial.pair()
    let offer = try trial.offer(7)
    let chosen = trial.handle(.control(1, .choose(offer.id, nil, activationToken: nil)))
    let launch = try #require(chosen.launch)
    let row = try #require(trial.engine.continuationsOnTheirWay.first)
    #expect(row.id == launch.continuation && row.activity == offer.id && row.device == Trial.other)
    let cancelled = trial.handle(.control(2, .cancel(launch.continuation)))
    guard case .done? = cancelled.reply(2) else { throw Failure(cancelled) }
    #expect(cancelled.failure(1)?.code == .userCancelled && trial.engine.continuationsOnTheirWay.isEmpty)
    #expect(trial.handle(.control(3, .cancel(launch.continuation))).failure(3)?.code == .notFound)
    // It stays on offer.
    #expect(trial.engine.list(at: trial.moment).map { $0.offer.id } == [offer.id])
  }

  @Test func whatTheApplicationHasIsNotCancelled() throws {
    var trial = Trial()
    try trial.pair()
    let offer = try trial.offer(7)
    let chosen = trial.handle(.control(1, .choose(offer.id, nil, activationToken: nil)))
    let launch = try #require(chosen.launch)
    trial.handle(.door(5, .registered(try appID(), .system)))
    trial.handle(.door(5, .begin(ticket: launch.ticket, showsFailure: false, 2)))
    trial.handle(.door(5, .claim(ticket: launch.ticket, 3)))
    let snapshot = Snapshot(id: offer.id, revision: 2, type: offer.type, userInfo: [0xa0])
    trial.handle(.link(.fetchAnswered(try #require(chosen.fetch).0, .snapshot(snapshot))))
    #expect(trial.handle(.control(4, .cancel(launch.continuation))).failure(4)?.code == .invalidArgument)
    guard case .continuation? = trial.handle(.door(5, .finish(ticket: launch.ticket, handled: true))).reply(1) else {
      throw Failure([])
    }
  }
}
