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

  // MARK: Of other devices

  /// A timer that fires while the device is away marks nothing as kept that was never fetched.
  @Test func X7_aDeviceThatIsAwayIsNotAsked() throws {
    var trial = Trial(policy: policy(keeps: true))
    try trial.pair()
    _ = try trial.offer(7, revision: 1, mayBeKept: true)
    let (first, _) = try #require(trial.last.fetch)
    let kept = trial.handle(.link(.fetchAnswered(first, .snapshot(try snapshot(7, revision: 1)))))
    trial.handle(try put(kept, at: trial.moment))
    // The second is due later, and the device goes before.
    _ = try trial.offer(7, revision: 2, sequence: 2, mayBeKept: true)
    #expect(trial.last.fetch == nil)
    trial.handle(.link(.down(Trial.other)))
    #expect(trial.wait(Limits.keepInterval).fetch == nil)
    trial.handle(.link(.up(Trial.other, name: "Desk")))
    _ = try trial.offer(7, revision: 2, mayBeKept: true)
    #expect(trial.last.fetch?.1.activity == id(7), "what was not fetched is fetched now")
  }

  /// A fetch that is overtaken by a newer announcement has not brought what that announced.
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

  /// What is kept does not change any more, whatever the origin said when it was fetched.
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

  // MARK: Of this device

  /// An application has ended and left a snapshot, which is on offer until the store has it no more.
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

  /// The store's file was damaged and set aside: nothing is on offer that rested on it, and what is kept is had anew.
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

  // MARK: A device that keeps

  /// These activities of the other device are on offer.
  private func offer(_ trial: inout Trial, _ numbers: Range<UInt64>, sequence: UInt64) throws -> [Effect] {
    let offers = try numbers.map {
      Offer(id: id($0), revision: 1, type: try type(), appID: try appID(), mayBeKept: true)
    }
    return trial.handle(.link(.message(Trial.other, .offers(sequence: sequence, offers))))
  }

  private func fetches(_ effects: [Effect]) -> [(id: FetchID, activity: Identifier)] {
    effects.compactMap { if case .fetch(let id, let request, _) = $0 { (id, request.activity) } else { nil } }
  }

  /// All that a device sends to be kept counts, and not userInfo alone.
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
