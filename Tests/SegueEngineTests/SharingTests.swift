import SegueCore
import Testing

@testable import SegueEngine

/// The user's choices about what is shared (semantics X5).
@Suite struct SharingTests {
  private func choices(_ change: (inout SharingChoices) throws -> Void) rethrows -> SharingChoices {
    var choices = SharingChoices()
    try change(&choices)
    return choices
  }

  private let home: NetworkID
  private let cafe: NetworkID

  init() throws {
    home = try #require(NetworkID("02:42:ac:11:00:01"))
    cafe = try #require(NetworkID("02:42:ac:11:00:02"))
  }

  /// This device has an activity, and two others are linked.
  private func origin() throws -> Trial {
    var trial = Trial()
    try trial.pairTwo()
    try trial.show(3)
    return trial
  }

  /// The ids of the offers that each device is sent.
  private func sent(_ effects: [Effect]) -> [DeviceID: [Identifier]] {
    var lists: [DeviceID: [Identifier]] = [:]
    for case .send(.offers(_, let offers, _), let device) in effects { lists[device] = offers.map { $0.id } }
    return lists
  }

  private func refusal(
    _ trial: inout Trial, _ channel: UInt64, by device: DeviceID = Trial.other
  ) throws
    -> SegueError.Code?
  {
    let request = FetchRequest(continuation: id(channel), activity: id(3), appID: try appID())
    let effects = trial.handle(.link(.fetchAsked(ChannelID(value: channel), device, request)))
    guard
      case .answerFetch(_, .failure(let error))? = effects.first(where: {
        if case .answerFetch = $0 { true } else { false }
      })
    else { return nil }
    return error.code
  }

  private func reasons(_ trial: Trial, _ subject: String) throws -> [DeviceID?: String] {
    var words: [DeviceID?: String] = [:]
    for row in try trial.engine.explain(subject, at: trial.moment) { words[row.receiver ?? row.origin] = row.reason }
    return words
  }

  // MARK: What goes to others

  @Test func X5_aPauseCountsAtOnceAndAsLongAsItLasts() throws {
    var trial = try origin()
    let paused = trial.handle(.sharing(choices { $0.pause = .untilResumed }))
    #expect(sent(paused) == [Trial.other: [], Trial.third: []])
    #expect(try refusal(&trial, 20) == .handoffFailed)
    #expect(Set(try reasons(trial, id(3).hex).values) == ["paused"])
    let resumed = trial.handle(.sharing(SharingChoices()))
    #expect(sent(resumed) == [Trial.other: [id(3)], Trial.third: [id(3)]])
    #expect(try refusal(&trial, 21) == nil)
  }

  @Test func X5_aPauseEndsAtItsTime() throws {
    var trial = try origin()
    let now = trial.moment.seconds
    let paused = trial.handle(.sharing(choices { $0.pause = .until(now + 60) }))
    #expect(sent(paused) == [Trial.other: [], Trial.third: []])
    #expect(trial.engine.sharing.pause == .paused(until: now + 60))
    #expect(sent(trial.wait(59_000)).isEmpty)
    #expect(sent(trial.wait(1_000)) == [Trial.other: [id(3)], Trial.third: [id(3)]])
    #expect(trial.engine.sharing.pause == nil)
  }

  /// sharing.conf may name any time. The timer for it is one that comes, and finds that the pause goes on.
  @Test(arguments: [UInt64.max, UInt64(Int64.max), 18_446_744_073_709_552])
  func X5_anEndPastAllTimesIsAPause(_ end: UInt64) throws {
    var trial = try origin()
    trial.handle(.sharing(choices { $0.pause = .until(end) }))
    #expect(sent(trial.wait(Limits.pauseTime)).isEmpty)
    #expect(trial.engine.sharing.pause == .paused(until: end))
  }

  /// The machine sleeps until the pause is over: the timer has not run.
  @Test func X5_aPauseThatHasEndedWhileTheMachineSlept() throws {
    var trial = try origin()
    trial.handle(.sharing(choices { $0.pause = .until(trial.moment.seconds + 60) }))
    trial.now = trial.now + 70_000
    #expect(sent(trial.handle(.woke))[Trial.other] == [id(3)])
  }

  @Test func X5_oneDeviceIsOfferedNothing() throws {
    var trial = try origin()
    let withheld = trial.handle(.sharing(choices { $0.devices = [Trial.third] }))
    #expect(sent(withheld) == [Trial.other: [id(3)], Trial.third: []])
    #expect(try refusal(&trial, 20, by: Trial.third) == .handoffFailed)
    #expect(try refusal(&trial, 21) == nil)
    #expect(try reasons(trial, id(3).hex) == [Trial.other: "offered", Trial.third: "withheld-from-device"])
  }

  @Test func X5_oneApplicationIsWithheld() throws {
    var trial = try origin()
    let withheld = trial.handle(.sharing(try choices { $0.applications = [try appID()] }))
    #expect(sent(withheld) == [Trial.other: [], Trial.third: []])
    #expect(try refusal(&trial, 20) == .handoffFailed)
    #expect(trial.engine.activities(at: trial.moment).map { $0.isWithheld } == [true])
    #expect(Set(try reasons(trial, id(3).hex).values) == ["withheld"])
  }

  /// An activity was given before the choice: its streams and files are refused afterwards.
  @Test(arguments: [true, false])
  func X5_whatWasGivenHasNoMoreStreamsAndFiles(_ isPause: Bool) throws {
    var trial = try origin()
    try trial.give(9, 3)
    trial.handle(.link(.message(Trial.other, .continued(try trial.notice(9, 3)))))
    trial.handle(.sharing(choices { if isPause { $0.pause = .untilResumed } else { $0.devices = [Trial.other] } }))
    let stream = StreamRequest(continuation: id(9), activity: id(3))
    let asked = trial.handle(.link(.streamAsked(ChannelID(value: 30), Trial.other, stream)))
    guard case .stream(.refuse(_, let error))? = asked.first else { throw Failure(asked) }
    #expect(error.code == .handoffFailed)
    let file = FileRequest(continuation: id(9), activity: id(3), url: "file:///a")
    let files = trial.handle(.link(.fileAsked(ChannelID(value: 31), Trial.other, file))).files
    guard case .refuse(_, let refused)? = files.first else { throw Failure([]) }
    #expect(refused.code == .handoffFailed)
  }

  // MARK: What comes from others

  @Test func X5_nothingOfOthersIsShownDuringAPause() throws {
    var trial = Trial()
    try trial.pair()
    let offer = try trial.offer(7)
    let paused = trial.handle(.sharing(choices { $0.pause = .untilResumed }))
    #expect(paused.signals.contains(.offersChanged))
    #expect(trial.engine.list(at: trial.moment).isEmpty && trial.engine.shown(at: trial.moment).isEmpty)
    #expect(trial.engine.search(SearchTerms(["page"]), at: trial.moment).isEmpty)
    #expect(try reasons(trial, offer.id.hex) == [Trial.other: "paused"])
    // Who names it by its id means it.
    #expect(trial.handle(.control(1, .choose(offer.id, nil, activationToken: nil))).launch != nil)
    trial.handle(.sharing(SharingChoices()))
    #expect(trial.engine.shown(at: trial.moment).map { $0.id.activity } == [offer.id])
  }

  /// Another application of this device may continue what one has, whatever other devices get.
  @Test func X5_aPauseDoesNotConcernThisDeviceAlone() throws {
    var trial = Trial()
    try trial.befriend()
    var index = ApplicationIndex()
    index.set(try appID(), to: try application(["org.segue.open.Document"]))
    var other = try application(["org.segue.open.Document"])
    other.appID = try appID("com.example.Other")
    index.set(other.appID, to: other)
    trial.handle(.applications(index))
    trial.handle(.door(5, .registered(try appID(), .system)))
    let activity = DoorActivity(
      id: id(3), revision: 1, type: try type("org.segue.open.Document"), title: "Here", webHost: nil, isEligible: true)
    trial.handle(.door(5, .setCurrent(activity, 1)))
    trial.handle(.sharing(choices { $0.pause = .untilResumed }))
    #expect(trial.engine.list(at: trial.moment).map { $0.offer.id } == [id(3)])
  }

  /// Copies of other devices' activities are neither fetched nor forgotten during a pause.
  @Test func X5_nothingIsFetchedForKeepingDuringAPause() throws {
    var policy = Policy()
    policy.keepsSnapshots = true
    var trial = Trial(policy: policy)
    try trial.pair()
    trial.handle(.sharing(choices { $0.pause = .untilResumed }))
    _ = try trial.offer(7, mayBeKept: true)
    #expect(trial.last.fetch == nil)
    #expect(trial.handle(.sharing(SharingChoices())).fetch?.1.isForKeeping == true)
  }

  // MARK: Networks

  @Test func X5_nothingIsSharedInANetworkThatIsNamed() throws {
    var trial = try origin()
    trial.handle(.network(.recognized(home)))
    let named = choices { $0.networks = [cafe] }
    #expect(sent(trial.handle(.sharing(named))) == [Trial.other: [id(3)], Trial.third: [id(3)]])
    #expect(sent(trial.handle(.network(.recognized(cafe)))) == [Trial.other: [], Trial.third: []])
    #expect(Set(try reasons(trial, id(3).hex).values) == ["paused-here"])
    #expect(try refusal(&trial, 20) == .handoffFailed)
    #expect(sent(trial.handle(.network(.recognized(home))))[Trial.other] == [id(3)])
  }

  /// As long as it is not known which network it is, it may be one in which nothing is shared.
  @Test func X5_anUnrecognizedNetworkIsClosed() throws {
    var trial = try origin()
    trial.handle(.network(.unrecognized))
    #expect(trial.engine.sharing.pause == nil)
    trial.handle(.sharing(choices { $0.networks = [cafe] }))
    #expect(trial.engine.sharing.pause == .network)
    trial.handle(.network(.none))
    #expect(trial.engine.sharing.pause == nil)
  }

  @Test func networksAreNamedByTheirRouters() {
    #expect(NetworkID("02:42:AC:11:00:01") == home)
    for text in [
      "", "00:00:00:00:00:00", "02:42:ac:11:00", "02:42:ac:11:00:01:02", "2:42:ac:11:0:1", "02:42:ac:11:00:0g",
    ] {
      #expect(NetworkID(text) == nil, "\(text)")
    }
  }

  // MARK: Files

  @Test func X5_choicesAreWrittenAndRead() throws {
    let all = try choices {
      $0.pause = .until(1_800_000_000)
      $0.networks = [home, cafe]
      $0.applications = [try appID(), try appID("com.example.Other")]
      $0.devices = [Trial.other, Trial.third]
    }
    var file = KeyFile()
    try all.write(to: &file)
    #expect(try SharingChoices(KeyFile(Array(file.text.utf8))) == all)
    #expect(try SharingChoices(KeyFile()) == SharingChoices())
  }

  @Test(arguments: [
    "Paused=perhaps", "PausedUntil=-1", "PausedUntil=99999999999999999999", "NotOnNetworks=home;", "Withhold=no id;",
    "WithholdFrom=kitchen;",
  ])
  func X5_aChoiceThatCannotBeUnderstoodIsAnError(_ line: String) throws {
    let file = try KeyFile(Array("[Policy]\n\(line)\n".utf8))
    #expect(throws: SegueError.self) { try SharingChoices(file) }
  }

  /// Both files count.
  @Test func X5_theStricterChoiceCounts() throws {
    let one = try choices { $0.applications = [try appID()] }
    let two = choices {
      $0.devices = [Trial.other]; $0.pause = .until(7)
    }
    let both = one.joined(with: two)
    #expect(both.applications == [try appID()] && both.devices == [Trial.other] && both.pause == .until(7))
    #expect(two.joined(with: choices { $0.pause = .until(9) }).pause == .until(9))
    #expect(choices { $0.pause = .untilResumed }.joined(with: two).pause == .untilResumed)
    #expect(both.joined(with: one) == both)
  }

  @Test func choicesOfOneFile() throws {
    var many = SharingChoices()
    many.applications = Set(try (0..<Limits.withheldApplications).map { try appID("com.example.A\($0)") })
    #expect(!many.areTooMany)
    many.applications.insert(try appID())
    #expect(many.areTooMany)
    many = choices { $0.devices = Set((0..<Limits.withheldDevices).map { .number(UInt8($0)) }) }
    #expect(!many.areTooMany)
    many.devices.insert(DeviceID(hash: Array(repeating: 1, count: DeviceID.byteCount - 1) + [2], check: [0, 0, 0, 0]))
    #expect(many.areTooMany)
    many = choices {
      $0.networks = Set((1...Limits.pausedNetworks).compactMap { NetworkID("02:00:00:00:00:\($0 + 10)") })
    }
    #expect(!many.areTooMany)
    many.networks.insert(home)
    #expect(many.areTooMany)
  }
}
