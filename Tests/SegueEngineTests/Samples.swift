import SegueCore
import Testing

@testable import SegueEngine

extension DeviceID {
  /// A device for tests, a different one for each number.
  static func number(_ number: UInt8) -> DeviceID {
    DeviceID(
      hash: [UInt8](repeating: number, count: DeviceID.byteCount),
      check: [UInt8](repeating: number % 32, count: DeviceID.checkDigits))
  }

  static let quiet = number(1)
  static let loud = number(2)
}

/// An engine with a clock of its own, and the effects of its events.
struct Trial {
  static let own = DeviceID.number(1)
  static let other = DeviceID.number(2)
  static let third = DeviceID.number(3)
  static let fourth = DeviceID.number(4)
  var engine: Engine
  var now: Instant = 1_000
  /// The effects of the last offer.
  var last: [Effect] = []

  init(
    policy: Policy = Policy(), journal: ContinuationJournal = ContinuationJournal(), boot: String = "boot",
    showsOffers: Bool = true, crypto: (any PairingCrypto & Sendable)? = nil
  ) {
    var settings = EngineSettings(device: Self.own, deviceName: "lap", boot: boot)
    settings.policy = policy
    settings.showsOffers = showsOffers
    settings.crypto = crypto
    engine = Engine(settings, journal: journal, at: Moment(instant: 1_000, seconds: 1_000_000, microseconds: 0))
  }

  var moment: Moment {
    Moment(
      instant: now, seconds: 1_000_000 + now.milliseconds / 1000, microseconds: now.milliseconds &* 1000)
  }

  @discardableResult
  mutating func handle(_ event: Event) -> [Effect] { engine.handle(event, at: moment) }

  /// The clock moves to the time that the engine has named.
  mutating func wait(_ milliseconds: UInt64) -> [Effect] {
    now = now + milliseconds
    return handle(.time)
  }

  /// Both devices have the application, and are paired.
  mutating func befriend(_ types: [String] = ["com.example.reading"]) throws {
    var index = ApplicationIndex()
    index.set(try appID(), to: try application(types))
    handle(.applications(index))
    handle(.paired([Event.PairedName(device: Self.other, name: "desk")]))
    handle(.loaded([]))
  }

  /// The devices are linked, too.
  mutating func pair(_ types: [String] = ["com.example.reading"]) throws {
    try befriend(types)
    handle(.link(.up(Self.other, name: "Desk")))
  }

  mutating func offer(
    _ number: UInt64, revision: UInt64 = 1, sequence: UInt64 = 1, isChanged: Bool = false, mayBeKept: Bool = false,
    of device: DeviceID = Trial.other
  ) throws -> Offer {
    let offer = Offer(
      id: id(number), revision: revision, type: try type(), appID: try appID(), title: "A page",
      isChanged: isChanged, mayBeKept: mayBeKept)
    last = handle(.link(.message(device, .offers(sequence: sequence, [offer]))))
    return offer
  }

  /// Two other devices are linked.
  mutating func pairTwo() throws {
    try pair()
    handle(
      .paired([
        Event.PairedName(device: Self.other, name: "desk"), Event.PairedName(device: Self.third, name: "tower"),
      ]))
    handle(.link(.up(Self.third, name: "Tower")))
  }

  /// A third other device is paired.
  mutating func pairFourth() throws {
    handle(
      .paired([
        Event.PairedName(device: Self.other, name: "desk"), Event.PairedName(device: Self.third, name: "tower"),
        Event.PairedName(device: Self.fourth, name: "pad"),
      ]))
    handle(.link(.up(Self.fourth, name: "Pad")))
  }

  /// The application registers at the door, and offers this activity.
  mutating func show(_ number: UInt64, session: SessionID = 5) throws {
    handle(.door(session, .registered(try appID(), .system)))
    let activity = DoorActivity(
      id: id(number), revision: 1, type: try type(), title: "Here", webHost: nil, isEligible: true)
    handle(.door(session, .setCurrent(activity, 1)))
  }

  /// A device fetches an offered activity, and gets it. Returns the effects of the answer.
  @discardableResult
  mutating func give(
    _ continuation: UInt64, _ activity: UInt64, to device: DeviceID = Trial.other, session: SessionID = 5
  ) throws -> [Effect] {
    let request = FetchRequest(continuation: id(continuation), activity: id(activity), appID: try appID())
    let asked = handle(.link(.fetchAsked(ChannelID(value: continuation), device, request)))
    let save = try #require(asked.saves.first)
    let snapshot = Snapshot(id: id(activity), revision: 1, type: try type(), userInfo: [0xa0])
    return asked + handle(.door(session, .saved(save, .success(snapshot))))
  }

  func notice(_ continuation: UInt64, _ activity: UInt64) throws -> ContinuedNotice {
    ContinuedNotice(
      continuation: id(continuation), activity: id(activity), appID: try appID(), inBrowser: false)
  }
}

func appID(_ string: String = "com.example.Reader") throws -> AppID { try #require(AppID(string)) }

func type(_ string: String = "com.example.reading") throws -> ActivityType { try #require(ActivityType(string)) }

func id(_ number: UInt64) -> Identifier { Identifier(high: 0, low: number) }

func application(_ types: [String] = ["com.example.reading"]) throws -> InstalledApplication {
  InstalledApplication(
    appID: try appID(), name: "Reader", desktopFile: "/reader.desktop", tier: .system,
    activityTypes: try types.map { try type($0) })
}

extension [Effect] {
  var files: [FileEffect] { compactMap { if case .file(let effect) = $0 { effect } else { nil } } }
  var launch: Effect.Launch? {
    for case .launch(let launch) in self { return launch }
    return nil
  }
  var record: ContinuationJournal? {
    for case .record(let journal) in self { return journal }
    return nil
  }
  var fetch: (FetchID, FetchRequest)? {
    for case .fetch(let id, let request, _) in self { return (id, request) }
    return nil
  }
  var fetchOrigins: [DeviceID] {
    compactMap { if case .fetch(_, _, let device) = $0 { device } else { nil } }
  }
  func failure(_ request: RequestID) -> SegueError? {
    if case .failed(let error)? = reply(request) { error } else { nil }
  }
  func reply(_ request: RequestID) -> Effect.Reply? {
    for case .reply(request, let reply) in self { return reply }
    return nil
  }
  var stores: [(id: StoreID, request: StoreRequest)] {
    compactMap {
      if case .store(let id, let request) = $0 { return (id, request) }
      return nil
    }
  }
  var saves: [SaveID] {
    compactMap {
      if case .askSave(let id, _, _, _) = $0 { return id }
      return nil
    }
  }
  var toldContinued: [Identifier] {
    compactMap { if case .tellContinued(_, let notice) = $0 { notice.continuation } else { nil } }
  }
  var acknowledged: [Identifier] {
    compactMap { if case .send(.acknowledged(let id), _) = $0 { id } else { nil } }
  }
  var records: [ContinuationJournal] {
    compactMap { if case .record(let journal) = $0 { journal } else { nil } }
  }
  var fetchAnswers: [FetchAnswer] {
    compactMap { if case .answerFetch(_, let answer) = $0 { answer } else { nil } }
  }
  var wantedFiles: [FileURL] {
    compactMap { if case .findFile(_, let file) = $0 { file } else { nil } }
  }
  var sentOffers: [[Offer]] {
    compactMap {
      if case .send(.offers(_, let offers, _), _) = $0 { return offers }
      return nil
    }
  }
  var signals: [Effect.Signal] {
    compactMap {
      if case .signal(let signal) = $0 { return signal }
      return nil
    }
  }
}
