import SegueCore

/// The stored copies of activities: which copies exist, which are to be made, and which requests the store has not
/// answered. The activities' states are on disk. The list of copies is in memory, so that listing does not wait for a
/// disk.
struct Copies {
  /// The purpose of a request to the store, which decides what follows from the answer.
  enum Purpose {
    /// A copy of an activity of this device.
    case put(StoredCopy.Key)
    /// A copy of another device's activity; the plan for keeping copies waits for it.
    case keep(StoredCopy.Key, OfferID)
    /// Fetches wait for the state of a copy.
    case answer([FetchSource], StoredCopy.Key)
    case fetch(StoredCopy.Key, continuation: Identifier)
    /// The application that stored the state has asked for it.
    case state(StoredCopy.Key, RequestID, SessionID)
    case removal([StoredCopy.Key])
    /// The application's request to delete copies (semantics C13).
    case deletion(RequestID, AppID, TextSet?)
    case life
    case expiry
  }

  private(set) var table: [StoredCopy.Key: StoredCopy] = [:]
  /// The texts by which a search finds the copies of this device's activities.
  private(set) var index = SearchIndex()
  /// Whether the store has reported the copies of earlier runs.
  private(set) var isLoaded = false
  private var snapshots: SnapshotPlan
  private var keeping: KeepPlan
  private var purposes: [StoreID: Purpose] = [:]
  private var count: StoreID = 0
  /// The requests that another device has caused.
  private var askers: [StoreID: DeviceID] = [:]
  /// The reads that another fetch may join, since no request that changes the copy has been made after them.
  private var reads: [StoredCopy.Key: StoreID] = [:]
  /// The copies that could not be removed, and when their removal is retried.
  private var unremoved: Set<StoredCopy.Key> = []
  private var removalTime: Instant?
  /// The requests to store each copy that are under way. If a copy is removed meanwhile, its requests are taken out, so
  /// that the answer does not bring the copy back.
  private var puts: [StoredCopy.Key: [(id: StoreID, copy: StoredCopy)]] = [:]
  /// Who stored the states of applications, and in which order.
  var states = StateOwners()

  init(_ settings: EngineSettings) {
    snapshots = SnapshotPlan(interval: settings.times.snapshotInterval)
    keeping = KeepPlan(interval: settings.times.keepInterval)
  }

  // MARK: The copies

  /// The copies of other devices' activities.
  var ofOthers: [StoredCopy] { table.values.filter { $0.device != nil } }

  /// The copies, the latest first.
  var inOrder: [StoredCopy] { sorted { _ in true } }

  /// The copies whose keys fit, the latest first.
  func sorted(_ fits: (StoredCopy.Key) -> Bool) -> [StoredCopy] {
    // Places in the table are sorted, and not the copies, which are large.
    let places = table.indices.filter { fits(table.keys[$0]) }
      .map { (storedAt: table.values[$0].storedAt, key: table.keys[$0], place: $0) }
      .sorted {
        if $0.storedAt != $1.storedAt { return $0.storedAt > $1.storedAt }
        if $0.key.activity != $1.key.activity { return $0.key.activity < $1.key.activity }
        return $0.key.kind.rawValue < $1.key.kind.rawValue
      }
    return places.map { table.values[$0.place] }
  }

  /// The keys of the copies that fit, including those that are being stored now.
  func keys(_ fits: (StoredCopy) -> Bool) -> [StoredCopy.Key] {
    let all = table.values.filter(fits) + puts.values.flatMap { $0 }.map { $0.copy }.filter(fits)
    return Set(all.map { $0.key }).sorted()
  }

  /// The states that applications have stored, those that are being stored now included: of each of these only as it
  /// will be (semantics C17).
  func states(_ fits: (StoredCopy) -> Bool) -> [StoredCopy] {
    let coming = puts.values.compactMap { $0.last?.copy }.filter { $0.kind == .restoration }
    return table.values.filter { copy in
      copy.kind == .restoration && fits(copy) && !coming.contains { $0.key == copy.key || $0.isSameWindow(as: copy) }
    } + coming.filter(fits)
  }

  // MARK: Asking the store

  /// Whether the device may cause one more request to the store. Some requests are always reserved for this device's
  /// own user and applications.
  func hasRoom(for device: DeviceID) -> Bool {
    askers.values.count { $0 == device } < Limits.storeRequestsPerDevice
      && askers.count < Limits.pendingStoreRequests - Limits.storeRequestsKept
  }

  /// Sends a request to the store. `device`: the device that causes the request; nil for this one. For another device
  /// the caller must have checked `hasRoom`.
  mutating func ask(
    _ request: StoreRequest, for purpose: Purpose, by device: DeviceID? = nil, _ turn: inout Turn
  ) {
    count += 1
    purposes[count] = purpose
    askers[count] = device
    switch request {
    case .put(let copy, _): reads[copy.key] = nil
    case .remove(let keys): for key in keys { reads[key] = nil }
    case .snapshot, .setLife, .expire: break
    }
    turn.emit(.store(count, request))
  }

  mutating func purpose(of id: StoreID) -> Purpose? {
    askers[id] = nil
    if case .answer(_, let key)? = purposes[id], reads[key] == id { reads[key] = nil }
    return purposes.removeValue(forKey: id)
  }

  /// Reads a copy's state for a fetch, together with other fetches that wait for it. Throws `limitExceeded`.
  mutating func read(
    _ key: StoredCopy.Key, for source: FetchSource, by device: DeviceID?, _ turn: inout Turn
  ) throws(SegueError) {
    if let id = reads[key], case .answer(let others, _)? = purposes[id] {
      purposes[id] = .answer(others + [source], key)
      return
    }
    guard device.map({ hasRoom(for: $0) }) ?? true else { throw Self.isBusy }
    ask(.snapshot(key), for: .answer([source], key), by: device, &turn)
    reads[key] = count
  }

  static let isBusy = SegueError(
    .limitExceeded, "The store of the other device has too much to do.", advice: "Continue again in a moment.")

  /// The source no longer waits for its answer.
  mutating func abandoned(_ source: FetchSource) {
    for (id, purpose) in purposes {
      guard case .answer(let sources, let key) = purpose, sources.contains(source) else { continue }
      purposes[id] = .answer(sources.filter { $0 != source }, key)
    }
  }

  /// Stores a copy. For another device's activity, named by `item`, the caller must have checked `hasRoom`.
  mutating func put(_ copy: StoredCopy, _ snapshot: Snapshot, _ item: OfferID? = nil, _ turn: inout Turn) {
    puts[copy.key, default: []].append((count + 1, copy))
    ask(
      .put(copy, snapshot), for: item.map { .keep(copy.key, $0) } ?? .put(copy.key), by: item?.device, &turn)
  }

  /// Whether the store has this revision of the copy, or will have it.
  func has(_ revision: UInt64, of key: StoredCopy.Key) -> Bool {
    (puts[key]?.last?.copy ?? table[key])?.offer.revision == revision
  }

  /// The keys of the copies that the store has, or is asked to store.
  func present(_ keys: [StoredCopy.Key]) -> [StoredCopy.Key] {
    keys.filter { table[$0] != nil || puts[$0] != nil }
  }

  /// Removes copies. They count as removed at once, even if the store fails: a copy that it cannot delete now will
  /// expire. `device`: as for `ask`; if the device has no room, the removal is done later.
  mutating func remove(_ keys: [StoredCopy.Key], by device: DeviceID? = nil, _ turn: inout Turn) {
    guard !keys.isEmpty else { return }
    areGone(keys, &turn)
    for key in keys { puts[key] = nil }
    guard device.map({ hasRoom(for: $0) }) ?? true else {
      turn.hasChangedCopies = true
      return removalFailed(keys, at: turn.now)
    }
    ask(.remove(keys), for: .removal(keys), by: device, &turn)
  }

  /// The copies are still in the store. Their removal is retried later, when it may succeed.
  mutating func removalFailed(_ keys: [StoredCopy.Key], at now: Instant) {
    unremoved.formUnion(keys.filter { table[$0] == nil && puts[$0] == nil })
    if !unremoved.isEmpty { removalTime = now + Limits.storeRetryTime }
  }

  /// The time has come to remove copies that have expired or could not be removed before.
  mutating func clear(_ turn: inout Turn) {
    if let time = removalTime, time <= turn.now {
      // A copy that is being stored may replace the one on disk, or may fail.
      let keys = unremoved.filter { puts[$0] == nil }.sorted()
      unremoved.subtract(keys)
      removalTime = unremoved.isEmpty ? nil : turn.now + Limits.storeRetryTime
      remove(keys, &turn)
    }
    ask(.expire, for: .expiry, &turn)
  }

  // MARK: The store's answers

  /// Takes over the copies that earlier runs have left.
  mutating func load(_ copies: [StoredCopy], _ turn: inout Turn) {
    isLoaded = true
    for copy in copies {
      table[copy.key] = copy
      guard let device = copy.device else { continue }
      keeping.found(OfferID(device: device, activity: copy.offer.id), revision: copy.offer.revision)
    }
    index = SearchIndex(table.values)
    if !copies.isEmpty { turn.hasChangedCopies = true }
  }

  /// The store has the copy. False if the copy was removed meanwhile.
  mutating func hasPut(_ id: StoreID, _ copy: StoredCopy, _ turn: inout Turn) -> Bool {
    guard endPut(id, copy.key) else { return false }
    unremoved.remove(copy.key)
    index.replace(table.updateValue(copy, forKey: copy.key), with: copy)
    turn.hasChangedCopies = true
    return true
  }

  mutating func putFailed(_ id: StoreID, _ key: StoredCopy.Key) {
    _ = endPut(id, key)
    if key.kind == .restoration, table[key] == nil, puts[key] == nil { states.forget(key.activity) }
  }

  private mutating func endPut(_ id: StoreID, _ key: StoredCopy.Key) -> Bool {
    guard let index = puts[key]?.firstIndex(where: { $0.id == id }) else { return false }
    puts[key]?.remove(at: index)
    if puts[key]?.isEmpty == true { puts[key] = nil }
    return true
  }

  mutating func update(_ copies: [StoredCopy], _ turn: inout Turn) {
    for copy in copies where table[copy.key] != nil {
      index.replace(table.updateValue(copy, forKey: copy.key), with: copy)
      turn.hasChangedCopies = true
    }
  }

  /// The store no longer has these copies. A copy that it was asked to store since then is listed when the store
  /// confirms it.
  mutating func areGone(_ keys: [StoredCopy.Key], _ turn: inout Turn) {
    for key in keys {
      if let old = table.removeValue(forKey: key) {
        index.replace(old, with: nil)
        turn.hasChangedCopies = true
      }
      if key.kind == .restoration, key.device == nil { states.forget(key.activity) }
    }
  }

  /// When the next copy expires, or the next removal is retried; nil if neither is due.
  func nextExpiry(at moment: Moment) -> Instant? {
    let life = table.values.map { $0.life(at: moment.seconds) }.min()
    // Half a second is added, so that the second in which the copy expires is over.
    let expiry = life.map { moment.instant + $0 &* 1000 + 500 }
    return [expiry, removalTime].compactMap { $0 }.min()
  }

  // MARK: Copies of this device's activities

  /// The activity became current, or has changed. Returns the copies that its application no longer allows.
  mutating func becameCurrent(
    _ activity: DoorActivity, _ deadlines: inout Deadlines, _ turn: inout Turn
  ) -> [StoredCopy.Key] {
    perform(snapshots.current(activity, now: turn.now), &deadlines, &turn)
  }

  mutating func resigned(_ activity: Identifier, _ deadlines: inout Deadlines, _ turn: inout Turn) {
    _ = perform(snapshots.resigned(activity), &deadlines, &turn)
  }

  mutating func answered(
    _ activity: Identifier, _ kind: StoredCopy.Kind, _ deadlines: inout Deadlines, _ turn: inout Turn
  ) {
    _ = perform(snapshots.answered(activity, kind, now: turn.now), &deadlines, &turn)
  }

  /// The activity was saved for another device. Returns whether that state is to be stored as its copy.
  mutating func savedForOther(
    _ snapshot: Snapshot, _ deadlines: inout Deadlines, _ turn: inout Turn
  ) -> Bool {
    let key = StoredCopy.Key(device: nil, activity: snapshot.id, kind: .snapshot)
    guard !has(snapshot.revision, of: key) else { return false }
    let (isTaken, effects) = snapshots.saved(snapshot.id, .snapshot, now: turn.now)
    _ = perform(effects, &deadlines, &turn)
    return isTaken
  }

  mutating func snapshotsDue(_ deadlines: inout Deadlines, _ turn: inout Turn) {
    _ = perform(snapshots.timer(now: turn.now), &deadlines, &turn)
  }

  mutating func abandonSnapshots(_ fits: (Identifier) -> Bool) { snapshots.abandoned(fits) }

  mutating func retainSnapshots(_ goesOn: (Identifier) -> Bool) { snapshots.retain(goesOn) }

  /// Carries out the plan's effects. Returns the same as `becameCurrent`.
  private mutating func perform(
    _ effects: [SnapshotPlan.Effect], _ deadlines: inout Deadlines, _ turn: inout Turn
  ) -> [StoredCopy.Key] {
    var unwanted: [StoredCopy.Key] = []
    for effect in effects {
      switch effect {
      case .ask(let activity, let kind):
        let request = DoorSaveRequest(purpose: kind.purpose)
        let key = SaveKey(activity: activity, request: request)
        turn.post(.save(.fetch(.copy(activity, kind), activity: key, line: nil)))
      case .forget(let activity, let kind):
        unwanted += keys { $0.device == nil && $0.kind == kind && $0.offer.id == activity }
      case .wake(let time): deadlines.set(.snapshots, at: time)
      }
    }
    return unwanted
  }

  // MARK: Copies of other devices' activities

  /// A step that the plan for keeping copies wants done.
  enum Keeping: Equatable {
    case fetch(OfferID)
    case forget(OfferID)
  }

  mutating func offered(
    _ offers: [Offer], by device: DeviceID, _ deadlines: inout Deadlines, _ turn: inout Turn
  ) -> [Keeping] {
    perform(keeping.offered(offers, by: device, now: turn.now), device, &deadlines)
  }

  /// A fetch for keeping has been answered. `revision`: nil if the answer was no snapshot.
  mutating func fetched(
    _ item: OfferID, revision: UInt64?, _ deadlines: inout Deadlines, _ turn: inout Turn
  ) -> [Keeping] {
    perform(keeping.fetched(item, revision: revision, now: turn.now), item.device, &deadlines)
  }

  mutating func received(_ snapshot: Snapshot, from device: DeviceID, at now: Instant) {
    keeping.received(snapshot.size, from: device, now: now)
  }

  /// The fetch ended without an answer.
  mutating func interrupted(
    _ item: OfferID, _ deadlines: inout Deadlines, _ turn: inout Turn
  ) -> [Keeping] {
    perform(keeping.interrupted(item, now: turn.now), item.device, &deadlines)
  }

  mutating func keepingDue(_ device: DeviceID, _ deadlines: inout Deadlines, _ turn: inout Turn) -> [Keeping] {
    perform(keeping.timer(device, now: turn.now), device, &deadlines)
  }

  mutating func lost(_ device: DeviceID, _ deadlines: inout Deadlines) {
    keeping.lost(device)
    deadlines.cancel(.keeping(device))
  }

  mutating func stopKeeping(_ fits: (OfferID) -> Bool) { keeping.removed(fits) }

  private func perform(
    _ effects: [KeepPlan.Effect], _ device: DeviceID, _ deadlines: inout Deadlines
  ) -> [Keeping] {
    var wanted: [Keeping] = []
    for effect in effects {
      switch effect {
      case .fetch(let item): wanted.append(.fetch(item))
      case .forget(let item): wanted.append(.forget(item))
      case .wake(let time): deadlines.set(.keeping(device), at: time)
      }
    }
    return wanted
  }
}

extension StoredCopy.Kind {
  /// Why the application is asked to save its state for such a copy.
  fileprivate var purpose: DoorSaveRequest.Purpose {
    switch self {
    case .search: .search
    case .snapshot: .snapshot
    case .restoration: .restoration
    }
  }
}
