import SegueCore
import Testing

@testable import SegueEngine

@Suite struct CopiesTests {
  private func policy(shares: Bool = false, keeps: Bool = false) -> Policy {
    var policy = Policy()
    (policy.sharesSnapshots, policy.keepsSnapshots) = (shares, keeps)
    return policy
  }

  private func snapshot(_ number: UInt64, revision: UInt64) throws -> Snapshot {
    Snapshot(id: id(number), revision: revision, type: try type(), userInfo: [0xa0])
  }

  /// The store has put a copy, with a life of an hour.
  private func put(_ effects: [Effect], at moment: Moment) throws -> Event {
    for (id, request) in effects.stores {
      guard case .put(var copy, let snapshot) = request else { continue }
      copy.offer.revision = snapshot.revision
      copy.storedAt = moment.seconds
      copy.expiresAt = moment.seconds + 3600
      return .stored(id, .success(.put(copy, gone: [])))
    }
    throw Failure(effects)
  }

  // MARK: Copies of other devices

  /// A timer that fires while the device is away does not mark an activity as kept that was never fetched.
  @Test func X7_aDeviceThatIsAwayIsNotAsked() throws {
    var trial = Trial(policy: policy(keeps: true))
    try trial.pair()
    _ = try trial.offer(7, revision: 1, mayBeKept: true)
    let (first, _) = try #require(trial.last.fetch)
    let kept = trial.handle(.link(.fetchAnswered(first, .snapshot(try snapshot(7, revision: 1)))))
    trial.handle(try put(kept, at: trial.moment))
    // The second state is due later, and the device leaves before that.
    _ = try trial.offer(7, revision: 2, sequence: 2, mayBeKept: true)
    #expect(trial.last.fetch == nil)
    trial.handle(.link(.down(Trial.other)))
    #expect(trial.wait(Limits.keepInterval).fetch == nil)
    trial.handle(.link(.up(Trial.other, name: "Desk")))
    _ = try trial.offer(7, revision: 2, mayBeKept: true)
    #expect(trial.last.fetch?.1.activity == id(7), "what was not fetched is fetched now")
  }

  /// A fetch that is overtaken by a newer announcement has not brought the state that was announced.
  @Test func X7_whatIsAnnouncedDuringAFetchIsFetchedAfterIt() throws {
    var trial = Trial(policy: policy(keeps: true))
    try trial.pair()
    _ = try trial.offer(7, revision: 1, mayBeKept: true)
    let (first, _) = try #require(trial.last.fetch)
    _ = try trial.offer(7, revision: 2, sequence: 2, mayBeKept: true)
    let kept = trial.handle(.link(.fetchAnswered(first, .snapshot(try snapshot(7, revision: 1)))))
    trial.handle(try put(kept, at: trial.moment))
    let due = trial.wait(Limits.keepInterval)
    #expect(due.fetch?.1.activity == id(7))
  }

  /// A kept copy does not change any more, whatever the origin announced when the copy was fetched.
  @Test func V15_aKeptCopyThatWasContinuedIsHidden() throws {
    var trial = Trial(policy: policy(keeps: true))
    try trial.pair()
    let offer = try trial.offer(7, revision: 1, isChanged: true, mayBeKept: true)
    let (fetch, _) = try #require(trial.last.fetch)
    let kept = trial.handle(.link(.fetchAnswered(fetch, .snapshot(try snapshot(7, revision: 1)))))
    trial.handle(try put(kept, at: trial.moment))
    trial.handle(.link(.down(Trial.other)))
    #expect(trial.engine.list(at: trial.moment).map { $0.place } == [.kept])
    let chosen = trial.handle(.control(1, .choose(offer.id, nil, activationToken: nil)))
    let launch = try #require(chosen.launch)
    let read = try #require(chosen.stores.first?.id)
    trial.handle(.door(5, .registered(try appID(), .system)))
    trial.handle(.door(5, .begin(ticket: launch.ticket, showsFailure: false, 2)))
    trial.handle(.door(5, .claim(ticket: launch.ticket, 3)))
    trial.handle(.stored(read, .success(.snapshot(try snapshot(7, revision: 1)))))
    let ended = trial.handle(.door(5, .finish(ticket: launch.ticket, handled: true)))
    guard case .continuation? = ended.reply(1) else { throw Failure(ended) }
    #expect(trial.engine.list(at: trial.moment).isEmpty)
  }

  // MARK: Copies of this device

  /// An application has ended and left a snapshot, which is on offer until the store no longer has it.
  @Test func X7_anOfferEndsWithTheSnapshotThatItRestsOn() throws {
    var trial = Trial(policy: policy(shares: true))
    try trial.pair()
    trial.handle(.door(5, .registered(try appID(), .system)))
    let activity = DoorActivity(
      id: id(9), revision: 1, type: try type(), title: "Ours", webHost: nil, isEligible: true, allowsSnapshot: true)
    let asked = trial.handle(.door(5, .setCurrent(activity, 1)))
    let save = try #require(asked.saves.first)
    let saved = trial.handle(.door(5, .saved(save, .success(try snapshot(9, revision: 2)))))
    trial.handle(try put(saved, at: trial.moment))
    let left = trial.handle(.door(5, .left))
    #expect(left.sentOffers.last?.first?.isSnapshot == true)
    let due = trial.wait(3_601_000)
    let (expiry, request) = try #require(due.stores.last)
    #expect(request == .expire)
    let key = StoredCopy.Key(device: nil, activity: id(9), kind: .snapshot)
    let expired = trial.handle(.stored(expiry, .success(.expired([key]))))
    #expect(expired.sentOffers.last == [])
  }

  /// The store's file was damaged and set aside: no offer that depended on it stays, and kept copies are fetched anew.
  @Test func X7_whatALostFileHeldIsOnOfferNoMore() throws {
    var trial = Trial(policy: policy(keeps: true))
    try trial.pair()
    _ = try trial.offer(7, revision: 1, mayBeKept: true)
    let (fetch, _) = try #require(trial.last.fetch)
    let kept = trial.handle(.link(.fetchAnswered(fetch, .snapshot(try snapshot(7, revision: 1)))))
    trial.handle(try put(kept, at: trial.moment))
    trial.handle(.link(.down(Trial.other)))
    #expect(trial.engine.list(at: trial.moment).map { $0.place } == [.kept])
    trial.handle(.loaded([]))
    #expect(trial.engine.list(at: trial.moment).isEmpty)
    #expect(trial.engine.storedCopies(at: trial.moment).isEmpty)
    _ = trial.wait(Limits.keepInterval)
    trial.handle(.link(.up(Trial.other, name: "Desk")))
    _ = try trial.offer(7, revision: 1, mayBeKept: true)
    #expect(trial.last.fetch?.1.activity == id(7))
  }

  /// A copy that was removed while it was being written is not there afterwards.
  @Test func C7_whatIsRemovedOnItsWayIsGone() throws {
    var trial = Trial()
    try trial.pair()
    trial.handle(.door(5, .registered(try appID(), .system)))
    let activity = DoorActivity(
      id: id(9), revision: 1, type: try type(), title: "Ours", webHost: nil, isEligible: true, allowsSnapshot: true)
    let save = try #require(trial.handle(.door(5, .setCurrent(activity, 1))).saves.first)
    let saved = trial.handle(.door(5, .saved(save, .success(try snapshot(9, revision: 2)))))
    let invalidated = trial.handle(.door(5, .invalidate(id(9))))
    let key = StoredCopy.Key(device: nil, activity: id(9), kind: .snapshot)
    #expect(invalidated.stores.map { $0.request } == [.remove([key])])
    trial.handle(try put(saved, at: trial.moment))
    #expect(trial.engine.storedCopies(at: trial.moment).isEmpty)
  }

  /// Activity 9 of session 5 is current, and stored at revision 1.
  private func stored(_ policy: Policy = Policy()) throws -> Trial {
    var trial = Trial(policy: policy)
    try trial.pairTwo()
    _ = trial.wait(Limits.returnTime)
    trial.handle(.door(5, .registered(try appID(), .system)))
    let save = try #require(trial.handle(.door(5, .setCurrent(try activity(), 1))).saves.first)
    let saved = trial.handle(.door(5, .saved(save, .success(try snapshot(9, revision: 1)))))
    trial.handle(try put(saved, at: trial.moment))
    return trial
  }

  private func activity(
    allowsSnapshot: Bool = true, forSearch: Bool = false, isChanged: Bool = false
  ) throws -> DoorActivity {
    DoorActivity(
      id: id(9), revision: 1, type: try type(), title: "Ours", webHost: nil, isEligible: true,
      isEligibleForSearch: forSearch, allowsSnapshot: allowsSnapshot, isChanged: isChanged)
  }

  /// The other device fetches activity 9 on this channel. Returns what followed.
  private func fetch(
    _ trial: inout Trial, _ channel: UInt64, isForKeeping: Bool = false, by device: DeviceID = Trial.other
  ) throws -> [Effect] {
    let request = FetchRequest(
      continuation: id(channel), activity: id(9), appID: try appID(), isForKeeping: isForKeeping)
    return trial.handle(.link(.fetchAsked(ChannelID(value: channel), device, request)))
  }

  /// The other device fetches the activity, and gets it at this revision.
  private func given(_ trial: inout Trial, _ channel: UInt64, revision: UInt64) throws -> [Effect] {
    let save = try #require(try fetch(&trial, channel).saves.first)
    return trial.handle(.door(5, .saved(save, .success(try snapshot(9, revision: revision)))))
  }

  /// Fetching without end never writes a state that is stored already, and writes no more often than the application is
  /// asked for copies; the last state is stored all the same.
  @Test func attack33_whoFetchesWithoutEndDoesNotWearTheDiskOut() throws {
    var trial = try stored()
    for channel in 100..<UInt64(200) { #expect(try given(&trial, channel, revision: 1).stores.isEmpty) }
    for revision in 2...UInt64(50) {
      #expect(try given(&trial, 200 + revision, revision: revision).stores.isEmpty)
    }
    let asked = trial.wait(Limits.snapshotInterval)
    let save = try #require(asked.saves.first)
    #expect(asked.saves.count == 1)
    let saved = trial.handle(.door(5, .saved(save, .success(try snapshot(9, revision: 50)))))
    #expect(saved.stores.count == 1)
    trial.handle(try put(saved, at: trial.moment))
    #expect(trial.engine.storedCopies(at: trial.moment).map { $0.copy.offer.revision } == [50])
    // Later, a state that is given away is stored at once, which saves asking.
    #expect(trial.wait(Limits.snapshotInterval).saves.isEmpty)
    let later = try given(&trial, 300, revision: 51)
    #expect(later.stores.count == 1)
    #expect(try given(&trial, 301, revision: 51).stores.isEmpty, "it is being stored")
    trial.handle(try put(later, at: trial.moment))
    #expect(trial.wait(Limits.snapshotInterval).saves.isEmpty)
  }

  /// A state that an application gave away a moment before its end is stored, though the application can no longer be
  /// asked for it.
  @Test func X7_whatWasGivenLastIsStored() throws {
    var trial = try stored()
    #expect(try given(&trial, 100, revision: 2).stores.isEmpty)
    let left = trial.handle(.door(5, .left))
    trial.handle(try put(left, at: trial.moment))
    #expect(trial.engine.storedCopies(at: trial.moment).map { $0.copy.offer.revision } == [2])
    #expect(trial.engine.activities(at: trial.moment).map { $0.offer.isSnapshot } == [true])
    // If the state has not changed, it is not stored.
    trial = try stored()
    #expect(trial.handle(.door(5, .left)).stores.isEmpty)
  }

  /// However many devices fetch a stored state, it is read once at a time.
  @Test func attack33_whoFetchesWhatIsStoredWithoutEndIsReadForOnce() throws {
    var trial = try stored(policy(shares: true))
    trial.handle(.door(5, .left))
    var reads: [StoreID] = []
    for channel in 100..<UInt64(1_100) {
      reads += try fetch(&trial, channel, isForKeeping: channel % 2 == 0).stores.map { $0.id }
      if channel > 101 { trial.handle(.link(.channelClosed(ChannelID(value: channel)))) }
    }
    #expect(reads.count == 1)
    #expect(try fetch(&trial, 2_000, by: Trial.third).stores.isEmpty)
    let answered = trial.handle(.stored(reads[0], .success(.snapshot(try snapshot(9, revision: 1)))))
    #expect(answered.fetchAnswers.count == 3)
    #expect(try fetch(&trial, 2_001).stores.count == 1)
  }

  /// A read that began before a newer state was stored does not serve a fetch that came after it.
  @Test func X7_whatIsStoredMeanwhileIsRead() throws {
    var trial = try stored(policy(shares: true))
    let first = try fetch(&trial, 100, isForKeeping: true).stores
    #expect(first.count == 1)
    _ = trial.wait(Limits.snapshotInterval)
    #expect(try given(&trial, 101, revision: 2).stores.count == 1)
    let second = try fetch(&trial, 102, isForKeeping: true).stores
    #expect(second.count == 1)
    _ = trial.handle(.stored(try #require(first.first).id, .success(.snapshot(try snapshot(9, revision: 1)))))
    #expect(try fetch(&trial, 103, isForKeeping: true).stores.isEmpty, "the second goes on")
  }

  /// However many requests other devices cause, the store has room for this device's own user and applications.
  @Test func attack33_aDevicesPartOfTheStoresWork() throws {
    var copies = Copies(EngineSettings(device: Trial.own, deviceName: "lap", boot: "boot"))
    var turn = Turn(Trial().moment)
    func key(_ number: Int) -> StoredCopy.Key {
      StoredCopy.Key(device: nil, activity: id(UInt64(number)), kind: .snapshot)
    }
    func read(_ number: Int, by device: DeviceID?) -> Bool {
      (try? copies.read(key(number), for: .channel(ChannelID(value: UInt64(number))), by: device, &turn)) != nil
    }
    let places = Limits.pendingStoreRequests - Limits.storeRequestsKept
    var number = 0
    for device in 0..<UInt8(places / Limits.storeRequestsPerDevice) {
      for _ in 0..<Limits.storeRequestsPerDevice {
        number += 1
        #expect(read(number, by: .number(10 + device)))
      }
      #expect(!read(number + 1, by: .number(10 + device)))
    }
    #expect(number == places && !read(number + 1, by: .number(99)))
    // The copies of withdrawn activities are removed later.
    let emitted = turn.effects.count
    copies.remove([key(1)], by: .number(10), &turn)
    #expect(turn.effects.count == emitted)
    #expect(copies.nextExpiry(at: turn.moment) == turn.now + Limits.storeRetryTime)
    for own in 0..<Limits.storeRequestsKept { #expect(read(places + 1 + own, by: nil)) }
    #expect(turn.effects.stores.count == Limits.pendingStoreRequests)
    // An answered request makes room.
    _ = copies.purpose(of: 1)
    #expect(read(1_000, by: .number(99)))
    #expect(!read(1_001, by: .number(99)))
  }

  /// A device wants to keep copies though this one does not share them.
  @Test func X7_whatIsNotSharedIsNotKept() throws {
    for shares in [true, false] {
      var trial = try stored(policy(shares: shares))
      let effects = try fetch(&trial, 100, isForKeeping: true)
      #expect(effects.stores.count == (shares ? 1 : 0))
      guard !shares else { continue }
      guard case .failure(let error)? = effects.fetchAnswers.first else { throw Failure(effects) }
      #expect(error.code == .accessDenied)
    }
  }

  /// Another application reports that the activity has expired.
  @Test func anotherApplicationEndsNoCopy() throws {
    var trial = try stored()
    trial.handle(.door(6, .registered(try appID("com.example.Other"), .system)))
    #expect(trial.handle(.door(6, .setExpiry(id(9), timeLeft: 0))).stores.isEmpty)
    #expect(trial.handle(.door(6, .setExpiry(id(9), timeLeft: 10_000))).stores.isEmpty)
    #expect(trial.handle(.door(5, .setExpiry(id(9), timeLeft: 0))).stores.count == 1)
  }

  /// The application withdraws its permission while it saves.
  @Test(arguments: [true, false]) func X7_whatMayNotBeKeptAnyMoreIsNotStored(_ isForSearch: Bool) throws {
    var trial = Trial()
    try trial.pair()
    trial.handle(.door(5, .registered(try appID(), .system)))
    let kept = try activity(allowsSnapshot: !isForSearch, forSearch: isForSearch)
    let save = try #require(trial.handle(.door(5, .setCurrent(kept, 1))).saves.first)
    trial.handle(.door(5, .setCurrent(try activity(allowsSnapshot: false), 2)))
    #expect(trial.handle(.door(5, .saved(save, .success(try snapshot(9, revision: 1))))).stores.isEmpty)
  }

  /// A state that is saved for another application here may contain what only this device may have.
  @Test func X7_whatIsSavedForThisDeviceIsNotStoredForOthers() throws {
    var trial = try stored()
    let viewer = try appID("com.example.Viewer")
    let applications = Set([try appID(), viewer])
    var index = ApplicationIndex()
    for application in applications {
      index.set(
        application,
        to: InstalledApplication(
          appID: application, name: "One", desktopFile: "/one.desktop", tier: .system, activityTypes: [try type()],
          team: "team"))
    }
    let team = Team(id: "team", serial: 1, expires: .max, applications: applications, isTrusted: true)
    trial.handle(.rules(MatchRules(teams: ["team": .verified(team)])))
    trial.handle(.applications(index))
    _ = trial.wait(Limits.snapshotInterval)
    let chosen = trial.handle(.control(7, .choose(id(9), viewer, activationToken: nil)))
    let save = try #require(chosen.saves.first)
    #expect(trial.handle(.door(5, .saved(save, .success(try snapshot(9, revision: 2))))).stores.isEmpty)
    #expect(trial.handle(.door(5, .left)).stores.isEmpty)
    #expect(trial.engine.origin.local.entries[id(9)]?.snapshot == nil)
  }

  // MARK: A device that keeps

  /// The other device offers these activities.
  private func offer(_ trial: inout Trial, _ numbers: Range<UInt64>, sequence: UInt64) throws -> [Effect] {
    let offers = try numbers.map {
      Offer(id: id($0), revision: 1, type: try type(), appID: try appID(), mayBeKept: true)
    }
    return trial.handle(.link(.message(Trial.other, .offers(sequence: sequence, offers))))
  }

  private func fetches(_ effects: [Effect]) -> [(id: FetchID, activity: Identifier)] {
    effects.compactMap { if case .fetch(let id, let request, _) = $0 { (id, request.activity) } else { nil } }
  }

  /// The answer has another activity, or one of another type.
  @Test(arguments: [(8, "com.example.reading"), (7, "com.example.writing")])
  func anotherActivityIsNotKept(_ number: UInt64, _ name: String) throws {
    var trial = Trial(policy: policy(keeps: true))
    try trial.pair()
    _ = try trial.offer(7, revision: 1, mayBeKept: true)
    let (fetch, _) = try #require(trial.last.fetch)
    let wrong = Snapshot(id: id(number), revision: 1, type: try type(name), userInfo: [0xa0])
    #expect(trial.handle(.link(.fetchAnswered(fetch, .snapshot(wrong)))).stores.isEmpty)
  }

  /// Lists of ever new activities, which there is no time to fetch, are withdrawn: there is no copy to remove.
  @Test func attack34_whatWasNeverFetchedIsNotRemoved() throws {
    var trial = Trial(policy: policy(keeps: true))
    try trial.pair()
    var effects: [Effect] = []
    for list in 0..<UInt64(10) {
      effects += try offer(&trial, 100 * (list + 1)..<100 * (list + 1) + 32, sequence: list + 1)
    }
    #expect(fetches(effects).count == Limits.keepFetches && effects.stores.isEmpty)
  }

  /// Copies that are kept, or on their way to the disk, are removed by one request.
  @Test func X7_whatIsWithdrawnIsRemovedTogether() throws {
    var trial = Trial(policy: policy(keeps: true))
    try trial.pair()
    let begun = fetches(try offer(&trial, 10..<14, sequence: 1))
    try #require(begun.count == 4)
    for fetch in begun.dropLast() {
      let snapshot = Snapshot(id: fetch.activity, revision: 1, type: try type(), userInfo: [0xa0])
      let kept = trial.handle(.link(.fetchAnswered(fetch.id, .snapshot(snapshot))))
      if fetch.id == begun[0].id { trial.handle(try put(kept, at: trial.moment)) }
    }
    let removed = try offer(&trial, 12..<12, sequence: 2).stores
    let keys = (10..<13).map { StoredCopy.Key(device: Trial.other, activity: id($0), kind: .snapshot) }
    #expect(removed.map { $0.request } == [.remove(keys)])
  }

  /// The whole size of a snapshot counts against a device, not that of userInfo alone.
  @Test func attack36_whatIsKeptOfADeviceIsCountedWhole() throws {
    for missing in [1, 0] {
      var trial = Trial(policy: policy(keeps: true))
      try trial.pair()
      let begun = fetches(try offer(&trial, 100..<132, sequence: 1))
      let length = Limits.keepBytes / begun.count
      for fetch in begun {
        var snapshot = Snapshot(id: fetch.activity, revision: 1, type: try type(), userInfo: [0xa0])
        snapshot.files = [ContainerFile(url: "", container: "", path: "")]
        let rest = length - snapshot.size - (fetch.id == begun[0].id ? missing : 0)
        snapshot.files[0].path = String(repeating: "x", count: rest)
        let kept = trial.handle(.link(.fetchAnswered(fetch.id, .snapshot(snapshot))))
        trial.handle(try put(kept, at: trial.moment))
      }
      _ = trial.wait(Limits.keepInterval)
      #expect(fetches(try offer(&trial, 200..<201, sequence: 2)).count == missing)
      #expect(fetches(trial.wait(Limits.keepTime)).count == 1 - missing)
    }
  }
}
