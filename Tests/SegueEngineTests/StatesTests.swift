import SegueCore
import Testing

@testable import SegueEngine

/// The states that applications store for their own return (semantics C17).
@Suite struct StatesTests {
  private func activity(
    _ number: UInt64, isEligible: Bool = true, restores: Bool = true, isChanged: Bool = false, timeLeft: UInt64? = nil
  ) throws -> DoorActivity {
    DoorActivity(
      id: id(number), revision: 1, type: try type(), title: "Ours", webHost: nil, isEligible: isEligible,
      isEligibleForRestoration: restores, isChanged: isChanged, timeLeft: timeLeft)
  }

  private func snapshot(_ number: UInt64, target: String? = nil) throws -> Snapshot {
    Snapshot(
      id: id(number), revision: 2, type: try type(), targetContentIdentifier: target, userInfo: [0xa0])
  }

  private func key(_ number: UInt64) -> StoredCopy.Key {
    StoredCopy.Key(device: nil, activity: id(number), kind: .restoration)
  }

  /// The application shows an activity, and saves it when it is asked. Returns the requests to the store.
  @discardableResult
  private func show(
    _ trial: inout Trial, _ activity: DoorActivity, target: String? = nil, session: SessionID = 5
  ) throws -> [(id: StoreID, request: StoreRequest)] {
    let asked = trial.handle(.door(session, .setCurrent(activity, 1)))
    let save = try #require(asked.saves.first)
    return trial.handle(.door(session, .saved(save, .success(try snapshot(activity.id.low, target: target))))).stores
  }

  /// The store has put what it was asked to, in the place of these. Returns the copy.
  @discardableResult
  private func put(
    _ trial: inout Trial, _ requests: [(id: StoreID, request: StoreRequest)], gone: [StoredCopy.Key] = []
  ) throws -> StoredCopy {
    guard case (let number, .put(let copy, let snapshot))? = requests.first else { throw Failure([]) }
    let stored = copy.stored(with: snapshot, at: trial.moment.seconds, life: 3600)
    trial.handle(.stored(number, .success(.put(stored, gone: gone))))
    return stored
  }

  /// Asks for a state: the copy that the store is asked for, nil if there is none.
  private func read(
    _ trial: inout Trial, _ query: StateQuery = StateQuery(), session: SessionID = 6
  ) -> (asked: StoredCopy.Key?, store: StoreID) {
    for (number, request) in trial.handle(.door(session, .lastState(query, 9))).stores {
      if case .snapshot(let key) = request { return (key, number) }
    }
    return (nil, 0)
  }

  private func ready() throws -> Trial {
    var trial = Trial()
    try trial.pair()
    trial.handle(.door(5, .registered(try appID(), .system)))
    return trial
  }

  /// The application has crashed, and runs again.
  private func again(_ trial: inout Trial, session: SessionID = 6) throws {
    trial.handle(.door(5, .left))
    trial.handle(.door(session, .registered(try appID(), .system)))
  }

  @Test func C17_theNextRunGetsTheStateAndNobodyIsToldOfIt() throws {
    var trial = try ready()
    // Other devices do not see it, and it is stored all the same.
    try put(&trial, try show(&trial, try activity(9, isEligible: false), target: "w"))
    try again(&trial)
    let (asked, store) = read(&trial)
    #expect(asked == key(9))
    let answered = trial.handle(.stored(store, .success(.snapshot(try snapshot(9, target: "w")))))
    guard case .state(let state?)? = answered.reply(9) else { throw Failure(answered) }
    #expect(state.snapshot.id == id(9) && !state.traits.isEligible && state.timeLeft == nil)
    #expect(answered.sentOffers.isEmpty && answered.toldContinued.isEmpty && answered.launch == nil)
    #expect(trial.engine.list(at: trial.moment).isEmpty)
  }

  @Test func C17_aStrangerGetsNothing() throws {
    var trial = try ready()
    try put(&trial, try show(&trial, try activity(9)))
    trial.handle(.door(5, .left))
    trial.handle(.door(6, .registered(try appID("com.example.Other"), .sandbox)))
    #expect(read(&trial).asked == nil)
    // Nor does a process of which it is less certain that it is this application.
    trial.handle(.door(7, .registered(try appID(), .user)))
    #expect(read(&trial, session: 7).asked == nil)
    trial.handle(.door(8, .registered(try appID(), .sandbox)))
    #expect(read(&trial, session: 8).asked == key(9))
  }

  @Test func C17_whatAnotherProcessHasOpenIsThatProcesss() throws {
    var trial = try ready()
    try put(&trial, try show(&trial, try activity(9)))
    trial.handle(.door(6, .registered(try appID(), .system)))
    #expect(read(&trial).asked == nil)
    #expect(read(&trial, session: 5).asked == key(9), "a process has its own")
    // Nor may another one have it forgotten.
    #expect(trial.handle(.door(6, .invalidate(id(9)))).stores.isEmpty)
    trial.handle(.door(5, .left))
    #expect(read(&trial).asked == key(9))
  }

  @Test func C17_theLatestOfAWindowAndOfAType() throws {
    var trial = try ready()
    try put(&trial, try show(&trial, try activity(1), target: "a"))
    try put(&trial, try show(&trial, try activity(2), target: "b"))
    try put(&trial, try show(&trial, try activity(3), target: "c"))
    try again(&trial)
    #expect(read(&trial).asked == key(3), "of those of one second too")
    #expect(read(&trial, StateQuery(targetContentIdentifier: "a")).asked == key(1))
    #expect(read(&trial, StateQuery(targetContentIdentifier: "d")).asked == nil)
    #expect(read(&trial, StateQuery(type: .browsingWeb)).asked == nil)
    #expect(read(&trial, StateQuery(type: try type(), after: id(3))).asked == key(2))
    #expect(read(&trial, StateQuery(after: id(1))).asked == nil)
    #expect(read(&trial, StateQuery(after: id(77))).asked == nil)
  }

  /// An application that crashes a moment after its save finds the state that is still on its way to the disk.
  @Test func C17_whatIsOnItsWayToTheDiskCounts() throws {
    var trial = try ready()
    try put(&trial, try show(&trial, try activity(1), target: "a"))
    let coming = try show(&trial, try activity(2), target: "a")
    try again(&trial)
    let (asked, store) = read(&trial)
    #expect(asked == key(2))
    #expect(read(&trial, StateQuery(after: id(2))).asked == nil, "the window's former state gives way to it")
    try put(&trial, coming, gone: [key(1)])
    let answered = trial.handle(.stored(store, .success(.snapshot(try snapshot(2)))))
    guard case .state(.some)? = answered.reply(9) else { throw Failure(answered) }
  }

  @Test func C17_aWindowThatWasClosedDoesNotComeBack() throws {
    var trial = try ready()
    try put(&trial, try show(&trial, try activity(1)))
    let ended = trial.handle(.door(5, .invalidate(id(1)))).stores.map { $0.request }
    #expect(ended == [.remove([key(1)])])
    // Nor one that the next run closes.
    try put(&trial, try show(&trial, try activity(2)))
    try again(&trial)
    #expect(trial.handle(.door(6, .invalidate(id(2)))).stores.map { $0.request } == [.remove([key(2)])])
    #expect(read(&trial).asked == nil)
  }

  @Test func C17_aResignedOneAndTheNextCurrentOneLeaveIt() throws {
    var trial = try ready()
    try put(&trial, try show(&trial, try activity(1), target: "a"))
    try put(&trial, try show(&trial, try activity(2), target: "b"))
    trial.handle(.door(5, .resign(id(2))))
    _ = trial.wait(Limits.graceTime + 1)
    #expect(Set(trial.engine.storedCopies(at: trial.moment).map { $0.copy.key }) == [key(1), key(2)])
  }

  @Test func C17_withoutLeaveAndAfterItNothingIsStored() throws {
    var trial = try ready()
    #expect(trial.handle(.door(5, .setCurrent(try activity(1, restores: false), 1))).saves.isEmpty)
    try put(&trial, try show(&trial, try activity(1)))
    let withdrawn = trial.handle(.door(5, .setCurrent(try activity(1, restores: false), 1)))
    #expect(withdrawn.stores.map { $0.request } == [.remove([key(1)])])
  }

  @Test func C17_itExpiresWithItsActivity() throws {
    var trial = try ready()
    let copy = try put(&trial, try show(&trial, try activity(1, timeLeft: 60_000)))
    #expect(copy.traits.expires)
    try again(&trial)
    let (_, store) = read(&trial)
    let answered = trial.handle(.stored(store, .success(.snapshot(try snapshot(1)))))
    guard case .state(let state?)? = answered.reply(9) else { throw Failure(answered) }
    #expect(state.timeLeft == 60_000)
    trial.now = trial.now + 61_000
    #expect(read(&trial).asked == nil)
  }

  @Test func C17_itIsNeitherContinuedNorFoundNorKept() throws {
    var trial = try ready()
    try put(&trial, try show(&trial, try activity(9, isEligible: false)))
    trial.handle(.door(5, .left))
    _ = trial.wait(Limits.graceTime + 1)
    #expect(trial.engine.storedCopies(at: trial.moment).count == 1)
    let chosen = trial.handle(.control(1, .choose(id(9), nil, activationToken: nil)))
    #expect(chosen.launch == nil)
    let request = FetchRequest(continuation: id(1), activity: id(9), appID: try appID())
    let fetched = trial.handle(.link(.fetchAsked(ChannelID(value: 1), Trial.other, request)))
    #expect(fetched.stores.isEmpty && fetched.saves.isEmpty)
  }

  @Test func C13_aDeletionTakesItToo() throws {
    var trial = try ready()
    try put(&trial, try show(&trial, try activity(1)))
    #expect(trial.handle(.door(5, .deleteSaved(nil, 3))).stores.map { $0.request } == [.remove([key(1)])])
  }

  @Test func C17_itOutlivesTheDaemon() throws {
    var trial = Trial()
    try trial.befriend()
    // Before the disk was read, nothing is known.
    var early = Trial()
    early.handle(.door(5, .registered(try appID(), .system)))
    let refused = early.handle(.door(5, .lastState(StateQuery(), 4)))
    #expect(refused.failure(4)?.code == .system)
    var copy = StoredCopy(.restoration, of: Offer(id: id(1), revision: 1, type: try type(), appID: try appID()))
    (copy.storedAt, copy.expiresAt) = (trial.moment.seconds - 5, trial.moment.seconds + 60)
    trial.handle(.loaded([copy]))
    trial.handle(.door(6, .registered(try appID(), .system)))
    #expect(read(&trial).asked == key(1))
    #expect(trial.engine.list(at: trial.moment).isEmpty)
  }

  @Test func C17_theStoresFailureIsTold() throws {
    var trial = try ready()
    try put(&trial, try show(&trial, try activity(1)))
    try again(&trial)
    let (_, store) = read(&trial)
    let failed = trial.handle(.stored(store, .failure(SegueError(.system, "The disk is gone."))))
    #expect(failed.failure(9)?.code == .system)
    // What is gone meanwhile is none.
    let (_, next) = read(&trial)
    let answered = trial.handle(.stored(next, .success(.snapshot(nil))))
    guard case .state(nil)? = answered.reply(9) else { throw Failure(answered) }
  }

  @Test func questionsOfOneApplicationAtOnce() throws {
    var trial = try ready()
    try put(&trial, try show(&trial, try activity(1)))
    try again(&trial)
    var stores: [StoreID] = []
    for _ in 0..<Limits.stateReads { stores.append(read(&trial).store) }
    let refused = trial.handle(.door(6, .lastState(StateQuery(), 4)))
    #expect(refused.failure(4)?.code == .limitExceeded)
    trial.handle(.stored(stores[0], .success(.snapshot(nil))))
    #expect(trial.handle(.door(6, .lastState(StateQuery(), 4))).failure(4) == nil)
  }
}
