import SegueCore
import Testing

@testable import SegueEngine

/// The notifications to applications and user interfaces, and when they are sent.
@Suite struct ServingTests {
  private func activity(_ number: UInt64, allowsSnapshot: Bool = false) throws -> DoorActivity {
    DoorActivity(
      id: id(number), revision: 1, type: try type(), title: "Here", webHost: nil, isEligible: true,
      allowsSnapshot: allowsSnapshot)
  }

  private func copy(_ number: UInt64, of device: DeviceID? = nil, at moment: Moment) throws -> StoredCopy {
    var copy = StoredCopy(
      .snapshot, of: Offer(id: id(number), revision: 1, type: try type(), appID: try appID(), title: "Kept"),
      from: device)
    copy.storedAt = moment.seconds
    copy.expiresAt = moment.seconds + 3600
    return copy
  }

  /// A store whose disk does not answer does not delay lists for ever.
  @Test func listsWaitNoLongerThanAFetchForTheStore() throws {
    var trial = Trial()
    trial.handle(.paired([]))
    #expect(trial.handle(.control(1, .awaitDials)).reply(1) == nil)
    let effects = trial.wait(Limits.fetchTime)
    guard case .done? = effects.reply(1) else { throw Failure(effects) }
    #expect(trial.handle(.control(2, .awaitDials)).reply(2) == nil)
    guard case .done? = trial.handle(.loaded([])).reply(2) else { throw Failure(effects) }
  }

  /// Activities of other devices come first, reachable or not; then those of this device.
  @Test func whatIsKeptIsListedBeforeWhatIsHere() throws {
    var policy = Policy()
    policy.keepsSnapshots = true
    var trial = Trial(policy: policy)
    var index = ApplicationIndex()
    let applications = [try appID(), try appID("com.example.Viewer")]
    for application in applications {
      index.set(
        application,
        to: InstalledApplication(
          appID: application, name: "One", desktopFile: "/one.desktop", tier: .system, activityTypes: [try type()],
          team: "team"))
    }
    let team = Team(id: "team", serial: 1, expires: .max, applications: Set(applications), isTrusted: true)
    trial.handle(.rules(MatchRules(teams: ["team": .verified(team)])))
    trial.handle(.applications(index))
    trial.handle(.paired([Event.PairedName(device: Trial.other, name: "desk")]))
    trial.handle(.loaded([try copy(8, of: Trial.other, at: trial.moment)]))
    trial.handle(.door(5, .registered(try appID(), .system)))
    trial.handle(.door(5, .setCurrent(try activity(3), 1)))
    let places = trial.engine.list(at: trial.moment).map { $0.place }
    #expect(places == [.kept, .here])
  }

  /// If there are more offers, the oldest is left out.
  @Test(arguments: [0, 1]) func V19_anApplicationIsToldOfSoManyOffers(_ more: Int) throws {
    var trial = Trial()
    try trial.pairTwo()
    trial.handle(.door(5, .registered(try appID(), .system)))
    var numbers: [UInt64] = []
    for device in [Trial.other, Trial.third] {
      var offers: [Offer] = []
      for _ in 0..<Limits.offersPerDevice {
        numbers.append(UInt64(numbers.count) + 100)
        offers.append(
          Offer(id: id(numbers[numbers.count - 1]), revision: 1, type: try type(), appID: try appID(), title: "A page"))
      }
      trial.now = trial.now + 1
      trial.handle(.link(.message(device, .offers(sequence: 1, offers))))
    }
    if more == 1 {
      trial.handle(.paired([Trial.other, Trial.third, .number(4)].map { Event.PairedName(device: $0, name: "d") }))
      trial.handle(.link(.up(.number(4), name: "d")))
      trial.now = trial.now + 1
      _ = try trial.offer(99, of: .number(4))
    }
    let told = try #require(trial.handle(.door(5, .followOffers)).toldOffers.last).map { $0.id.activity }
    #expect(told.count == Limits.offersPerApplication)
    #expect(told.contains(id(99)) == (more == 1))
    #expect(Set(told).subtracting([id(99)]).isSubset(of: Set(numbers.map { id($0) })))
  }

  /// The user gives a device another name, and applications show it in their own menus.
  @Test func aDevicesNewNameIsToldToApplications() throws {
    var trial = Trial()
    try trial.pair()
    trial.handle(.door(5, .registered(try appID(), .system)))
    _ = try trial.offer(7)
    trial.handle(.door(5, .followOffers))
    trial.handle(.door(5, .heardOffers))
    let effects = trial.handle(.paired([Event.PairedName(device: Trial.other, name: "tower")]))
    let names = effects.toldOffers.flatMap { $0.map { $0.deviceName } }
    #expect(names == ["tower"])
  }

  /// An application that registers again and again is not sent again what it has not acknowledged.
  @Test func V11_whatAnApplicationIsBeingToldOfIsToldOnce() throws {
    var trial = Trial()
    try trial.pair()
    try trial.show(3)
    try trial.give(9, 3)
    trial.handle(.door(5, .left))
    trial.handle(.link(.message(Trial.other, .continued(try trial.notice(9, 3)))))
    let first = trial.handle(.door(5, .registered(try appID(), .system)))
    let again = trial.handle(.door(5, .registered(try appID(), .system)))
    #expect(first.toldContinued == [id(9)])
    #expect(again.toldContinued.isEmpty)
    trial.handle(.door(5, .heardContinued(continuation: id(9), nil)))
    #expect(trial.engine.journal.unheard.isEmpty)
  }

  /// An application that is faster than the disk has its new activity on offer, and not the one that it left the last
  /// time.
  @Test func X7_whatWasLeftDoesNotTakeThePlaceOfWhatIsCurrent() throws {
    var trial = Trial()
    var index = ApplicationIndex()
    index.set(try appID(), to: try application())
    trial.handle(.applications(index))
    trial.handle(.paired([Event.PairedName(device: Trial.other, name: "desk")]))
    trial.handle(.link(.up(Trial.other, name: "Desk")))
    trial.handle(.door(5, .registered(try appID(), .system)))
    trial.handle(.door(5, .setCurrent(try activity(3, allowsSnapshot: true), 1)))
    let copies = [try copy(4, at: trial.moment), try copy(3, at: trial.moment)]
    trial.handle(.loaded(copies))
    #expect(trial.engine.activities(at: trial.moment).map { $0.offer.id } == [id(3)])
    // The application ends before it was asked for its state: the stored activity is still on offer.
    trial.handle(.door(5, .left))
    #expect(trial.engine.activities(at: trial.moment).map { $0.offer.id } == [id(3)])
  }

  /// Two copies of one activity are on their way to the disk, and the second finds it full: the first stays known.
  @Test func C13_aCopyIsKnownThoughTheNextFailed() throws {
    var trial = Trial()
    try trial.pair()
    trial.handle(.door(5, .registered(try appID(), .system)))
    let kept = trial.handle(.door(5, .setCurrent(try activity(3, allowsSnapshot: true), 1)))
    var snapshot = Snapshot(id: id(3), revision: 1, type: try type(), userInfo: [0xa0])
    var stores: [(id: StoreID, request: StoreRequest)] = []
    let save = try #require(kept.saves.first)
    stores += trial.handle(.door(5, .saved(save, .success(snapshot)))).stores
    _ = trial.wait(Limits.snapshotInterval)
    let request = FetchRequest(continuation: id(9), activity: id(3), appID: try appID())
    let asked = trial.handle(.link(.fetchAsked(ChannelID(value: 1), Trial.other, request)))
    let second = try #require(asked.saves.first)
    snapshot.revision = 2
    stores += trial.handle(.door(5, .saved(second, .success(snapshot)))).stores
    try #require(stores.count == 2)
    let full = SegueError(.system, "The disk is full.")
    trial.handle(.stored(stores[0].id, .success(.put(try copy(3, at: trial.moment), gone: []))))
    trial.handle(.stored(stores[1].id, .failure(full)))
    #expect(trial.engine.storedCopies(at: trial.moment).count == 1)
    let deleted = trial.handle(.door(5, .deleteSaved(nil, 4)))
    #expect(deleted.stores.map { $0.request } == [.remove([try copy(3, at: trial.moment).key])])
  }
}

extension [Effect] {
  fileprivate var toldOffers: [[ListedOffer]] {
    compactMap { if case .tellOffers(_, let offers) = $0 { offers } else { nil } }
  }
}
