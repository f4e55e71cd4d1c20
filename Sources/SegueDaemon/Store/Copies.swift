import SegueBus
import SegueCore
import SegueLink
import SegueState

// Copies of this device's own activities: saved when SnapshotPlan says so, and given when their application has gone.

extension Daemon {
  // MARK: The store

  /// Uses the store; nil if that failed, which is logged: nobody waits for it.
  func useStore<T>(_ body: (Store) throws(SegueError) -> T) -> T? {
    do throws(SegueError) {
      return try askStore(body)
    } catch {
      log.warning("\(error.message) \(error.advice)", cause: "store")
      return nil
    }
  }

  /// Uses the store for somebody who waits for it. It takes memory only while it is used.
  func askStore<T>(_ body: (Store) throws(SegueError) -> T) throws(SegueError) -> T {
    defer {
      if store.isOpen {
        storeIdleTimer?.cancel()
        storeIdleTimer = loop.timer(after: Limits.storeIdleTime) { [self] in store.close() }
      }
    }
    return try body(store)
  }

  /// What earlier runs have left: an application's last activity is on offer again (semantics X7).
  func restoreCopies() {
    guard store.exists, let copies = useStore({ store throws(SegueError) in try store.copies() }) else { return }
    let now = secondsSince1970()
    var applications: Set<AppID> = []
    restoreKept(copies)
    for copy in copies where copy.device == nil && copy.kind == .snapshot {
      storedHere.insert(copy.offer.id)
      guard applications.insert(copy.offer.appID).inserted else { continue }
      local.restore(copy, timeLeft: copy.life(at: now) * 1000, now: Instant.now)
    }
    localOffersChanged()
    expireCopies()
  }

  /// Looks again when the next copy expires: nothing lies on the disk for longer because nobody asks (semantics C7).
  func expireCopies() {
    guard let copies = useStore({ store throws(SegueError) in try store.copies() }) else { return }
    keptAreStill(copies)
    let now = secondsSince1970()
    storeTimer?.cancel()
    storeTimer = copies.map { $0.life(at: now) }.min().map { seconds in
      loop.timer(after: seconds * 1000 + 500) { [self] in expireCopies() }
    }
  }

  // MARK: Saving

  /// The activity has become its application's current one, or has changed.
  func saveCopies(of activity: DoorActivity, _ session: UInt64) {
    perform(snapshots.current(activity, now: Instant.now))
    saveMissingCopies(session)
  }

  /// Whatever the application has left is saved while it still can be asked.
  func saveMissingCopies(_ session: UInt64) {
    for (id, entry) in local.entries where entry.session == session && entry.isConnected && entry.graceUntil != nil {
      perform(snapshots.resigned(id))
    }
  }

  private func perform(_ effects: [SnapshotPlan.Effect]) {
    for effect in effects {
      switch effect {
      case .ask(let activity, let kind):
        let purpose = kind == .search ? DoorSaveRequest.Purpose.search : .snapshot
        save(
          .fetch(
            .copy(activity, kind),
            activity: SaveKey(activity: activity, request: DoorSaveRequest(purpose: purpose))))
      case .forget(let activity, let kind):
        forgetCopies { $0.kind == kind && $0.offer.id == activity }
      case .wake(let time):
        snapshotTimer?.cancel()
        snapshotTimer = loop.timer(at: time) { [self] in
          perform(snapshots.timer(now: Instant.now))
        }
      }
    }
  }

  /// The application has answered a save, whoever wanted it. `isOther`: the offer is another one by it.
  func saved(_ snapshot: Snapshot, for purpose: DoorSaveRequest.Purpose, isOther: Bool) {
    var isChanged = isOther
    // What was saved for somebody is as good as what was saved to be kept.
    if purpose == .continuation, local.entries[snapshot.id]?.allowsSnapshot == true {
      keep(snapshot, .snapshot)
      isChanged = true
    }
    if isChanged { localOffersChanged() }
  }

  /// The answer to a save for a copy.
  func answer(_ activity: Identifier, _ kind: StoredCopy.Kind, _ answer: FetchAnswer) {
    switch answer {
    case .snapshot(let snapshot):
      keep(snapshot, kind)
      localOffersChanged()
    case .failure(let error):
      // That it ended meanwhile is nothing to look at.
      if local.entries[activity]?.isConnected == true {
        log.notice("a copy of an activity could not be saved: \(error.message)", cause: "copy")
      }
    }
    perform(snapshots.answered(activity, kind, now: Instant.now))
  }

  private func keep(_ snapshot: Snapshot, _ kind: StoredCopy.Kind) {
    guard let entry = local.entries[snapshot.id],
      kind == .search ? entry.activity.isEligibleForSearch : entry.allowsSnapshot
    else { return }
    let now = Instant.now
    let activity = entry.activity
    let copy = StoredCopy(
      kind,
      of: Offer(
        id: activity.id, revision: snapshot.revision, type: activity.type, appID: entry.appID,
        title: snapshot.title.map { DisplayText.clean($0) }, webHost: activity.webHost,
        timeLeft: entry.deadline.map { now.time(until: $0) }))
    guard let put = useStore({ store throws(SegueError) in try store.put(copy, snapshot) }) else { return }
    if kind == .snapshot {
      storedHere.insert(snapshot.id)
      local.stored(snapshot.id, revision: snapshot.revision)
    }
    forgotten(put.gone)
    expireCopies()
  }

  // MARK: Giving

  /// The last snapshot of an application that has gone; nil where there is none (any more).
  func lastSnapshot(of entry: LocalOffers.Entry) -> Snapshot? {
    if var snapshot = entry.snapshot {
      snapshot.isStored = true
      snapshot.age = Instant.now.time(since: entry.saved)
      return snapshot
    }
    let key = StoredCopy.Key(device: nil, activity: entry.activity.id, kind: .snapshot)
    return useStore { store throws(SegueError) in try store.snapshot(key) } ?? nil
  }

  /// What another device may keep: never more than is kept here, and its application is not asked (semantics X7).
  func snapshotForKeeping(_ entry: LocalOffers.Entry) throws(SegueError) -> Snapshot {
    guard settings.policy.sharesSnapshots, entry.allowsSnapshot, entry.stored != nil else {
      throw SegueError(
        .accessDenied, "This device does not let others keep its activities.",
        advice: "Its user may allow it, with Share=true in the group [Snapshots] of segue.conf.")
    }
    let key = StoredCopy.Key(device: nil, activity: entry.activity.id, kind: .snapshot)
    guard let snapshot = try askStore({ store throws(SegueError) in try store.snapshot(key) }) else {
      throw Self.notOffered
    }
    return snapshot
  }

  // MARK: Forgetting

  /// An activity expires then instead (nil: never), current or not, and so do its copies (semantics C7).
  func setExpiry(_ id: Identifier, _ session: Session, _ appID: AppID, _ timeLeft: UInt64?) {
    local.setExpiry(id, session: session.number, timeLeft: timeLeft, now: .now)
    if store.exists {
      let fits = { (copy: StoredCopy) in copy.device == nil && copy.offer.id == id && copy.offer.appID == appID }
      if timeLeft == 0 {
        forgetCopies(fits)
      } else if useStore({ store throws(SegueError) in
        try !store.setLife(timeLeft, of: store.copies().filter(fits).map { $0.key }).isEmpty
      }) == true {
        expireCopies()
      }
    }
    localOffersChanged()
  }

  /// Snapshots go with their activities: withdrawn, replaced by another, or expired. An expired one leaves nothing.
  func forgetEndedCopies() {
    let expired = Set(local.takeExpired())
    let ended = storedHere.filter { local.entries[$0] == nil }
    snapshots.retain { local.entries[$0]?.isConnected == true }
    guard !ended.isEmpty || !expired.isEmpty, store.exists else { return }
    forgetCopies { expired.contains($0.offer.id) || $0.kind == .snapshot && ended.contains($0.offer.id) }
  }

  /// Removes copies of this device's activities, and what rests on them.
  private func forgetCopies(_ fits: (StoredCopy) -> Bool) {
    let removed = useStore { store throws(SegueError) in
      try store.remove(store.copies().filter { $0.device == nil && fits($0) }.map { $0.key })
    }
    if let removed { forgotten(removed) }
  }

  /// The store has these no more.
  func forgotten(_ keys: [StoredCopy.Key]) {
    keptForgotten(Set(keys))
    for key in keys where key.device == nil && key.kind == .snapshot {
      storedHere.remove(key.activity)
      local.stored(key.activity, revision: nil)
    }
  }
}
