import SegueCore
import SegueEngine
import Testing

@Suite struct SnapshotPlanTests {
  private func activity(
    _ number: UInt64, search: Bool = false, snapshot: Bool = true, isChanged: Bool = false, isEligible: Bool = true
  ) -> DoorActivity {
    DoorActivity(
      id: id(number), revision: 1, type: .browsingWeb, title: nil, webHost: nil, isEligible: isEligible,
      isEligibleForSearch: search, allowsSnapshot: snapshot, isChanged: isChanged)
  }

  @Test func S8_aCopyIsDueWhenTheActivityBecomesCurrentAndAfterAChange() {
    var plan = SnapshotPlan(interval: 100)
    #expect(plan.current(activity(1), now: 0) == [.ask(id(1), .snapshot)])
    // While it is asked it is not asked again.
    #expect(plan.current(activity(1, isChanged: true), now: 10) == [])
    #expect(plan.answered(id(1), .snapshot, now: 20) == [])
    #expect(plan.current(activity(1), now: 30) == [], "nothing has changed")
    #expect(plan.current(activity(1, isChanged: true), now: 40) == [.wake(120)])
    #expect(plan.current(activity(1, isChanged: true), now: 50) == [.wake(120)])
    #expect(plan.timer(now: 120) == [.ask(id(1), .snapshot)])
    #expect(plan.answered(id(1), .snapshot, now: 121) == [])
    #expect(plan.timer(now: 1000) == [])
  }

  @Test func C5_aCopyForSearchIsAskedForBesideIt() {
    var plan = SnapshotPlan(interval: 100)
    #expect(plan.current(activity(1, search: true, snapshot: false), now: 0) == [.ask(id(1), .search)])
    #expect(plan.answered(id(1), .search, now: 1) == [])
    #expect(plan.current(activity(1, search: true), now: 2) == [.ask(id(1), .snapshot)])
    #expect(plan.current(activity(1, search: false), now: 3) == [.forget(id(1), .search)])
    #expect(plan.current(activity(1, isEligible: false), now: 4) == [.forget(id(1), .snapshot)])
    #expect(plan.current(activity(2, snapshot: false), now: 5) == [])
  }

  @Test func X7_whatIsMissingIsSavedWhenTheActivityIsLeft() {
    var plan = SnapshotPlan(interval: 100)
    _ = plan.current(activity(1), now: 0)
    #expect(plan.resigned(id(1)) == [], "it is asked already")
    _ = plan.answered(id(1), .snapshot, now: 1)
    #expect(plan.resigned(id(1)) == [], "nothing has changed")
    _ = plan.current(activity(1, isChanged: true), now: 2)
    #expect(plan.resigned(id(1)) == [.ask(id(1), .snapshot)])
    plan.retain { $0 != id(1) }
    #expect(plan.answered(id(1), .snapshot, now: 3) == [])
    #expect(plan.resigned(id(1)) == [])
  }
}

@Suite struct KeepPlanTests {
  private func offer(_ number: UInt64, revision: UInt64) throws -> Offer {
    Offer(
      id: id(number), revision: revision, type: .browsingWeb, appID: try #require(AppID("com.example.App")),
      mayBeKept: true)
  }

  @Test func X7_whatMayBeKeptIsFetchedAgainWhenItHasANewRevision() throws {
    var plan = KeepPlan(interval: 100)
    let origin = DeviceID.number(1)
    let item = OfferID(device: origin, activity: id(1))
    #expect(plan.offered([try offer(1, revision: 1)], by: origin, now: 0) == [.fetch(item)])
    #expect(plan.offered([try offer(1, revision: 2)], by: origin, now: 1) == [], "it is under way")
    #expect(plan.fetched(item, revision: 2, now: 2) == [])
    #expect(plan.offered([try offer(1, revision: 2)], by: origin, now: 3) == [])
    #expect(plan.offered([try offer(1, revision: 3)], by: origin, now: 4) == [.wake(102)])
    #expect(plan.timer(origin, now: 102) == [.fetch(item)])
    // It could not be had: not before it changes again.
    #expect(plan.fetched(item, revision: nil, now: 103) == [])
    #expect(plan.timer(origin, now: 1000) == [])
    #expect(plan.offered([try offer(1, revision: 4)], by: origin, now: 1000) == [.fetch(item)])
    plan.lost(origin)
    #expect(plan.offered([try offer(1, revision: 4)], by: origin, now: 1001) == [.fetch(item)])
  }

  /// A device that makes up ever new activities gets no more than one that has as many on offer as it may.
  @Test func X7_everNewActivitiesAreFetchedAtTheRateOfADevice() throws {
    var plan = KeepPlan(interval: 100)
    let (one, other) = (DeviceID.number(1), DeviceID.number(2))
    func fetches(_ effects: [KeepPlan.Effect]) -> [OfferID] {
      effects.compactMap { if case .fetch(let item) = $0 { item } else { nil } }
    }
    var count = 0
    var waits: KeepPlan.Effect?
    for number in 0..<UInt64(1_000) {
      let effects = plan.offered([try offer(number, revision: 1)], by: one, now: 10)
      for item in fetches(effects) {
        count += 1
        _ = plan.fetched(item, revision: 1, now: 10)
      }
      waits = effects.last
    }
    #expect(count == Limits.keepFetches && waits == .wake(110))
    // It may lose its link: that makes nothing new.
    plan.lost(one)
    #expect(fetches(plan.offered([try offer(2_000, revision: 1)], by: one, now: 20)).isEmpty)
    // Another device is not concerned.
    #expect(fetches(plan.offered([try offer(1, revision: 1)], by: other, now: 20)).count == 1)
    #expect(fetches(plan.timer(one, now: 110)).map { $0.activity } == [id(2_000)])
  }

  @Test func X7_theBytesOfADeviceHaveABound() throws {
    var plan = KeepPlan(interval: 100)
    let (one, other) = (DeviceID.number(1), DeviceID.number(2))
    #expect(plan.offered([try offer(1, revision: 1)], by: one, now: 0).count == 1)
    plan.received(Limits.keepBytes - 1, from: one, now: 0)
    let fourth = OfferID(device: one, activity: id(4))
    #expect(plan.offered([try offer(4, revision: 1)], by: one, now: 500).contains(.fetch(fourth)))
    plan.received(1, from: one, now: 500)
    #expect(plan.offered([try offer(2, revision: 1)], by: other, now: 1_000).count == 1)
    let waiting = plan.offered([try offer(3, revision: 1)], by: one, now: 1_000)
    #expect(waiting.last == .wake(Instant(milliseconds: Limits.keepTime)))
    #expect(!waiting.contains(.fetch(OfferID(device: one, activity: id(3)))))
    let due = plan.timer(one, now: Instant(milliseconds: Limits.keepTime))
    #expect(due == [.fetch(OfferID(device: one, activity: id(3)))])
  }

  /// The origin has announced a revision that it has not stored yet: what it gives is earlier.
  @Test func X7_anEarlierStateIsFetchedAgainWhenThereIsNews() throws {
    var plan = KeepPlan(interval: 100)
    let origin = DeviceID.number(1)
    let item = OfferID(device: origin, activity: id(1))
    #expect(plan.offered([try offer(1, revision: 2)], by: origin, now: 0) == [.fetch(item)])
    #expect(plan.fetched(item, revision: 1, now: 1) == [])
    #expect(plan.timer(origin, now: 1000) == [], "it is not asked for ever")
    #expect(plan.offered([try offer(1, revision: 2)], by: origin, now: 1000) == [.fetch(item)])
    #expect(plan.offered([try offer(1, revision: 2)], by: origin, now: 1001) == [])
    #expect(plan.fetched(item, revision: 1, now: 1002) == [.wake(1102)], "there was news while it was under way")
    #expect(plan.timer(origin, now: 1102) == [.fetch(item)])
    #expect(plan.fetched(item, revision: 2, now: 1103) == [])
    #expect(plan.offered([try offer(1, revision: 2)], by: origin, now: 1104) == [])
  }

  /// A timer that fires while the device is away asks it for nothing.
  @Test func X7_aDeviceThatIsAwayIsNotAskedByATimer() throws {
    var plan = KeepPlan(interval: 100)
    let origin = DeviceID.number(1)
    let item = OfferID(device: origin, activity: id(1))
    #expect(plan.offered([try offer(1, revision: 1)], by: origin, now: 0) == [.fetch(item)])
    #expect(plan.fetched(item, revision: 1, now: 1) == [])
    #expect(plan.offered([try offer(1, revision: 2)], by: origin, now: 2) == [.wake(101)])
    plan.lost(origin)
    #expect(plan.timer(origin, now: 101) == [])
    #expect(plan.offered([try offer(1, revision: 2)], by: origin, now: 200) == [.fetch(item)])
  }

  /// It may have removed this device, and have added it again meanwhile.
  @Test func X7_whatCouldNotBeHadIsFetchedAgainOverTheNextLink() throws {
    var plan = KeepPlan(interval: 100)
    let origin = DeviceID.number(1)
    let item = OfferID(device: origin, activity: id(1))
    plan.found(item, revision: 1)
    #expect(plan.offered([try offer(1, revision: 2)], by: origin, now: 0) == [.fetch(item)])
    #expect(plan.fetched(item, revision: nil, now: 1) == [])
    #expect(plan.offered([try offer(1, revision: 2)], by: origin, now: 1000) == [])
    plan.lost(origin)
    #expect(plan.offered([try offer(1, revision: 2)], by: origin, now: 2000) == [.fetch(item)])
    #expect(plan.fetched(item, revision: 2, now: 2001) == [])
    plan.lost(origin)
    #expect(plan.offered([try offer(1, revision: 2)], by: origin, now: 3000) == [], "it is here")
  }

  @Test func X7_whatIsOnOfferNoMoreIsForgotten() throws {
    var plan = KeepPlan(interval: 100)
    let (one, other) = (DeviceID.number(1), DeviceID.number(2))
    let item = OfferID(device: one, activity: id(1))
    plan.found(item, revision: 5)
    plan.found(OfferID(device: other, activity: id(2)), revision: 5)
    #expect(plan.offered([try offer(1, revision: 5)], by: one, now: 0) == [], "it is here already")
    #expect(plan.offered([], by: one, now: 1) == [.forget(item)])
    plan.removed { $0.device == other }
    #expect(plan.offered([], by: other, now: 2) == [])
  }

  @Test func X7_oneActivityIsFetchedSoOften() throws {
    var plan = KeepPlan()
    let origin = DeviceID.number(1)
    let item = OfferID(device: origin, activity: id(1))
    let due = Instant(milliseconds: Limits.keepInterval)
    #expect(plan.offered([try offer(1, revision: 1)], by: origin, now: 0) == [.fetch(item)])
    #expect(plan.fetched(item, revision: 1, now: 0) == [])
    #expect(plan.offered([try offer(1, revision: 2)], by: origin, now: 1) == [.wake(due)])
    #expect(plan.timer(origin, now: Instant(milliseconds: Limits.keepInterval - 1)) == [.wake(due)])
    #expect(plan.timer(origin, now: due) == [.fetch(item)])
  }
}
