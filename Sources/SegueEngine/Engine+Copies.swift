import SegueCore

// Stored copies: of this device's activities (semantics C5, X7, B1), and of other devices' activities (X7).

extension Engine {
  // MARK: At the start

  /// Takes over the copies that earlier runs have left: an application's last activity is on offer again (semantics
  /// X7). Copies of other devices' activities are removed if the device is no longer paired, or if the user does not
  /// want copies.
  mutating func restore(_ all: [StoredCopy]) {
    areGone(Set(copies.table.keys).subtracting(all.map { $0.key }).sorted())
    let isWanted = settings.policy.keepsSnapshots
    let good = all.filter { copy in copy.device.map { isWanted && devices.isPaired($0) } ?? true }
    copies.load(good, &turn)
    copies.remove(all.map { $0.key }.filter { copies.table[$0] == nil }, &turn)
    var applications: Set<AppID> = []
    let moment = turn.moment
    for copy in copies.inOrder where copy.device == nil && copy.kind == .snapshot {
      let id = copy.offer.id
      if origin.local.entries[id]?.appID == copy.offer.appID {
        origin.change { $0.stored(id, revision: copy.offer.revision) }
      }
      // An application may have put an activity on offer before the disk was read; that offer stays.
      guard applications.insert(copy.offer.appID).inserted, !origin.hasCurrent(copy.offer.appID) else { continue }
      origin.change {
        $0.restore(copy, timeLeft: copy.life(at: moment.seconds) &* 1000, now: moment.instant)
      }
    }
    turn.hasChangedOffersHere = true
  }

  // MARK: Copies of this device's activities

  /// Asks for copies of the activities that the application took off offer, while it can still be asked.
  mutating func saveMissingCopies(_ session: SessionID) {
    let left = origin.local.entries.filter {
      $0.value.session == session && $0.value.isConnected && $0.value.graceUntil != nil
    }
    for id in left.keys.sorted() { copies.resigned(id, &deadlines, &turn) }
  }

  /// The answer to a save for a copy.
  mutating func copySaved(_ activity: Identifier, _ kind: StoredCopy.Kind, _ answer: FetchAnswer) {
    switch answer {
    case .snapshot(let snapshot): storeCopy(snapshot, kind)
    case .failure(let error):
      // If the activity ended meanwhile, the failure is not worth a line in the log.
      if origin.local.entries[activity]?.isConnected == true {
        turn.log(.notice, "a copy of an activity could not be saved: \(error.message)", cause: "copy")
      }
    }
    copies.answered(activity, kind, &deadlines, &turn)
  }

  /// The activity was saved for another device. The state is stored too, which saves asking the application once more,
  /// but no more often than it would be asked.
  mutating func storeGiven(_ snapshot: Snapshot) {
    if copies.savedForOther(snapshot, &deadlines, &turn) { storeCopy(snapshot, .snapshot) }
  }

  /// The application has ended and cannot be asked any more. Its last saved state is stored if it is newer than the
  /// copy.
  mutating func storeWhatIsLeft(_ session: SessionID) {
    let left = origin.local.entries.filter { $0.value.session == session && $0.value.isLeftBehind }
    for id in left.keys.sorted() {
      guard let entry = left[id], var snapshot = entry.snapshot,
        !copies.has(snapshot.revision, of: StoredCopy.Key(device: nil, activity: id, kind: .snapshot))
      else { continue }
      snapshot.age = turn.now.time(since: entry.saved)
      storeCopy(snapshot, .snapshot)
    }
  }

  mutating func storeCopy(_ snapshot: Snapshot, _ kind: StoredCopy.Kind) {
    guard let entry = origin.local.entries[snapshot.id], entry.allows(kind) else { return }
    let activity = entry.activity
    var offer = Offer(
      id: activity.id, revision: snapshot.revision, type: activity.type, appID: entry.appID,
      title: snapshot.title.map { DisplayText.clean($0) }, webHost: activity.webHost,
      timeLeft: entry.deadline.map { turn.now.time(until: $0) })
    if kind == .restoration { offer = signed(offer) }
    var copy = StoredCopy(kind, of: offer, persistentIdentifier: snapshot.persistentIdentifier)
    if kind == .restoration {
      let expires = offer.timeLeft.map { $0 <= settings.times.storedCopy } ?? false
      (copy.targetContentIdentifier, copy.traits) = (
        snapshot.targetContentIdentifier, StateTraits(of: activity, expires: expires)
      )
      copies.states.stored(activity.id, by: entry.session)
    }
    copies.put(copy, snapshot, nil, &turn)
  }

  /// Answers another device that wants to keep a copy. It gets what is stored here; the application is not asked
  /// (semantics X7).
  mutating func provideForKeeping(_ entry: LocalOffers.Entry, to source: FetchSource) throws(SegueError) {
    guard settings.policy.sharesSnapshots, entry.allowsSnapshot, entry.stored != nil else {
      throw SegueError(
        .accessDenied, "This device does not let others keep its activities.",
        advice: "Its user may allow it, with Share=true in the group [Snapshots] of segue.conf.")
    }
    try readSnapshot(of: entry.activity.id, for: source)
  }

  mutating func readSnapshot(of activity: Identifier, for source: FetchSource) throws(SegueError) {
    let key = StoredCopy.Key(device: nil, activity: activity, kind: .snapshot)
    try copies.read(key, for: source, by: origin.asker(source), &turn)
  }

  // MARK: Forgetting

  /// Removes copies, and the offers that depend on them. `device`: the device that causes the removal; nil for this
  /// one.
  mutating func forget(_ keys: [StoredCopy.Key], by device: DeviceID? = nil) {
    copies.remove(keys, by: device, &turn)
    areGone(keys)
  }

  /// The store no longer has these copies. Offers that depend on them end.
  private mutating func areGone(_ keys: [StoredCopy.Key]) {
    copies.areGone(keys, &turn)
    for key in keys {
      if let device = key.device {
        copies.stopKeeping { $0.device == device && $0.activity == key.activity }
        turn.hasChangedOffers = true
      } else if key.kind == .snapshot, origin.local.entries[key.activity] != nil {
        origin.change { $0.stored(key.activity, revision: nil) }
        turn.hasChangedOffersHere = true
      }
    }
  }

  /// Removes the snapshots of activities that were withdrawn, replaced or have expired. For an expired activity the
  /// copy for search goes too.
  mutating func forgetEndedCopies() {
    let expired = Set(origin.change { $0.takeExpired() })
    let entries = origin.local.entries
    copies.retainSnapshots { entries[$0]?.isConnected == true }
    forget(
      copies.keys { copy in
        copy.device == nil
          && (expired.contains(copy.offer.id) || copy.kind == .snapshot && entries[copy.offer.id] == nil)
      })
  }

  /// The activity has a new expiry (nil: never), and so have its copies (semantics C7).
  mutating func setLife(_ timeLeft: UInt64?, of id: Identifier, _ appID: AppID) {
    let keys = copies.keys { $0.device == nil && $0.offer.id == id && $0.offer.appID == appID }
    guard !keys.isEmpty else { return }
    if timeLeft == 0 { return forget(keys) }
    copies.ask(.setLife(timeLeft, of: keys), for: .life, &turn)
  }

  /// Deletes the application's copies with these persistent identifiers (nil: all), and the offers that depend on them
  /// (semantics C13). If the store fails, the application is told so, and nothing has changed.
  mutating func deleteSaved(_ identifiers: TextSet?, of appID: AppID, _ request: RequestID) {
    // Saves that are under way began before the deletion, and would store the copies again.
    let own = origin.local.entries.filter { $0.value.appID == appID }
    for id in own.keys.sorted() {
      for kind in [StoredCopy.Kind.search, .snapshot, .restoration] { turn.post(.save(.abandoned(.copy(id, kind)))) }
    }
    copies.abandonSnapshots { own[$0] != nil }
    let keys = copies.keys {
      $0.device == nil && $0.offer.appID == appID && Self.isMeant($0.persistentIdentifier, identifiers)
    }
    copies.ask(.remove(keys), for: .deletion(request, appID, identifiers), &turn)
  }

  private static func isMeant(_ identifier: String?, _ identifiers: TextSet?) -> Bool {
    guard let identifiers else { return true }
    return identifier.map { identifiers.contains($0) } ?? false
  }

  private mutating func deleted(
    _ keys: [StoredCopy.Key], of appID: AppID, _ identifiers: TextSet?, _ request: RequestID
  ) {
    areGone(keys)
    // The snapshots that are held in memory for the grace time go too.
    for (id, entry) in origin.local.entries where entry.appID == appID && entry.hasSnapshot {
      if Self.isMeant(entry.snapshot?.persistentIdentifier, identifiers) { origin.change { $0.forget(id) } }
    }
    turn.hasChangedOffersHere = true
    turn.emit(.reply(request, .done))
    turn.log(.debug, "\(keys.count) copies of \(appID.string) were deleted", cause: "store")
  }

  // MARK: The store's answers

  mutating func stored(_ id: StoreID, _ result: Result<StoreAnswer, SegueError>) {
    guard let purpose = copies.purpose(of: id) else { return }
    switch (purpose, result) {
    case (.put, .success(.put(let copy, let gone))):
      if copies.hasPut(id, copy, &turn), copy.kind == .snapshot {
        origin.change { $0.stored(copy.offer.id, revision: copy.offer.revision) }
      }
      turn.hasChangedOffersHere = true
      areGone(gone)
    case (.keep(_, let item), .success(.put(let copy, let gone))):
      if copies.hasPut(id, copy, &turn) { turn.hasChangedOffers = true }
      areGone(gone)
      keep(copies.fetched(item, revision: copy.offer.revision, &deadlines, &turn))
    case (.answer(let sources, _), .success(.snapshot(let snapshot?))) where origin.local.entries[snapshot.id] != nil:
      for source in sources { turn.post(.answer(source, .snapshot(snapshot))) }
    // The activity may have been withdrawn while its copy was read.
    case (.answer(let sources, let key), .success(let answer)):
      if answer == .snapshot(nil) { areGone([key]) }
      for source in sources { turn.post(.answer(source, .failure(Self.notOffered))) }
    case (.fetch(_, let continuation), .success(.snapshot(let snapshot?))): fetched(continuation, .snapshot(snapshot))
    case (.fetch(let key, let continuation), .success):
      areGone([key])
      let error = SegueError(.handoffFailed, "The stored copy of the activity is no longer there.")
      fetched(continuation, .failure(error))
    case (.state(let key, let request, let session), .success(.snapshot(let snapshot))):
      if snapshot == nil { areGone([key]) }
      read(snapshot, key, for: session, request)
    case (.deletion(let request, let appID, let identifiers), .success(.removed(let keys))):
      deleted(keys, of: appID, identifiers, request)
    case (.life, .success(.lives(let copies))): self.copies.update(copies, &turn)
    case (.expiry, .success(.expired(let keys))):
      areGone(keys)
      // If nothing had expired, the wall clock was set back: so the next check is put off.
      let next = copies.nextExpiry(at: turn.moment)
      deadlines.set(.storedCopies, at: keys.isEmpty ? next.map { max($0, turn.now + Limits.storeIdleTime) } : next)
    case (_, .success): break
    case (_, .failure(let error)): failed(id, purpose, error)
    }
  }

  private mutating func failed(_ id: StoreID, _ purpose: Copies.Purpose, _ error: SegueError) {
    switch purpose {
    case .put(let key): copies.putFailed(id, key)
    case .keep(let key, let item):
      copies.putFailed(id, key)
      keep(copies.fetched(item, revision: nil, &deadlines, &turn))
    case .answer(let sources, _):
      for source in sources { turn.post(.answer(source, .failure(error))) }
      return
    case .fetch(_, let continuation): return fetched(continuation, .failure(error))
    case .state(_, let request, let session):
      copies.states.answered(session)
      return turn.emit(.reply(request, .failed(error)))
    case .deletion(let request, _, _): return turn.emit(.reply(request, .failed(error)))
    case .expiry: deadlines.set(.storedCopies, at: turn.now + Limits.storeRetryTime)
    case .removal(let keys):
      copies.removalFailed(keys, at: turn.now)
      deadlines.set(.storedCopies, at: copies.nextExpiry(at: turn.moment))
    case .life: break
    }
    turn.log(.warning, "\(error.message) \(error.advice)", cause: "store")
  }

  // MARK: Copies of other devices' activities

  /// The copies of devices that are out of reach, the latest first. Hidden ones are among them, since they can be
  /// continued by their ids.
  func keptOfAbsent(at moment: Moment) -> [StoredCopy] {
    copies.sorted { $0.device.map { !devices.isOnline($0) } ?? false }.filter { $0.life(at: moment.seconds) > 0 }
  }

  /// Milliseconds since the state of a kept copy was saved; nil if the source is no kept copy.
  func age(of source: OfferSource) -> UInt64? {
    guard case .kept(let key) = source, key.device != nil, let copy = copies.table[key] else { return nil }
    return copy.age(at: turn.moment.seconds) &* 1000
  }

  /// A device has sent its offers: plans which of them are fetched to be kept. A pause leaves everything as it is.
  mutating func keep(_ offers: [Offer], of device: DeviceID) {
    guard sharing.pause == nil else { return }
    guard settings.policy.keepsSnapshots || !copies.ofOthers.isEmpty else { return }
    let wanted = offers.filter { offer in
      settings.policy.keepsSnapshots && offer.mayBeKept
        && !catalog.match(offer, at: turn.moment).candidates.isEmpty
    }
    keep(copies.offered(wanted, by: device, &deadlines, &turn))
  }

  /// Carries out the plan's steps for one device. All copies to be forgotten are removed in one request, and only those
  /// that exist: a device may offer and withdraw, without end, activities that were never fetched.
  mutating func keep(_ wanted: [Copies.Keeping]) {
    let unwanted = wanted.compactMap { if case .forget(let item) = $0 { item } else { nil } }
    forget(
      copies.present(
        unwanted.map { StoredCopy.Key(device: $0.device, activity: $0.activity, kind: .snapshot) }),
      by: unwanted.first?.device)
    for case .fetch(let item) in wanted { fetchForKeeping(item) }
  }

  private mutating func fetchForKeeping(_ item: OfferID) {
    guard sharing.pause == nil, devices.isOnline(item.device), let entry = remote.entry(item.activity, of: item.device),
      let application = catalog.match(entry.offer, at: turn.moment).candidates.first
    else { return keep(copies.interrupted(item, &deadlines, &turn)) }
    let request = FetchRequest(
      continuation: settings.makeIdentifier(), activity: item.activity, appID: application.appID, isForKeeping: true)
    turn.emit(.fetch(fetches.begin(.keeping(item)), request, from: item.device))
  }

  /// The answer to a fetch for keeping.
  mutating func kept(_ item: OfferID, _ answer: FetchAnswer) {
    switch answer {
    case .failure(let error):
      let name = devices.quotedName(of: item.device)
      turn.log(.debug, "\(name) lets nothing be kept: \(error.message)", cause: "keep \(item.device)")
      keep(copies.fetched(item, revision: nil, &deadlines, &turn))
    case .snapshot(let snapshot):
      copies.received(snapshot, from: item.device, at: turn.now)
      // The activity may have been withdrawn, or its device unpaired, during the fetch.
      guard let entry = remote.entry(item.activity, of: item.device), snapshot.id == item.activity,
        snapshot.type == entry.offer.type, devices.isPaired(item.device), copies.hasRoom(for: item.device)
      else { return keep(copies.fetched(item, revision: nil, &deadlines, &turn)) }
      var offer = entry.offer
      offer.title = snapshot.title ?? offer.title
      offer.timeLeft = entry.expires.map { turn.now.time(until: $0) }
      copies.put(StoredCopy(.snapshot, of: offer, from: item.device), snapshot, item, &turn)
    }
  }

  /// The device is no longer paired: all copies of its activities are removed.
  mutating func forgetKept(of device: DeviceID) {
    copies.stopKeeping { $0.device == device }
    forget(copies.keys { $0.device == device })
  }
}
