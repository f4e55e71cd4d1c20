import SegueCore

/// The offers of this device's applications, with the withdrawn ones that can still be continued for a while.
///
/// Pure: sessions are numbers, and the caller gives the time.
public struct LocalOffers {
  /// An activity that can be fetched.
  public struct Entry: Equatable {
    public var session: UInt64
    public var appID: AppID
    public var activity: DoorActivity
    /// The last snapshot, for the grace time after the application has gone.
    public var snapshot: Snapshot?
    /// When that was.
    public var saved: Instant = 0
    /// The number of the event by which it became current; a later event has a higher number.
    public var since: UInt64
    /// When that was.
    public var started: Instant = 0
    /// The end of the grace time; nil while the activity is current or left behind.
    public var graceUntil: Instant?
    /// False once the application's connection is gone.
    public var isConnected = true
    /// When it expires; nil: never (semantics C7).
    public var deadline: Instant?
    /// The revision of the snapshot in the store; nil without one.
    public var stored: UInt64?
    /// The mark of the shared folder that its file lies in, empty for none; nil: not known (yet), or it has no file.
    public var folder: [UInt8]?

    /// It is still on offer although its application has ended; continuing it gives the last snapshot (semantics X7).
    public var isLeftBehind: Bool { !isConnected && graceUntil == nil }
    /// The offer that others see.
    public var offer: Offer {
      var offer = Offer(
        id: activity.id, revision: activity.revision, type: activity.type, appID: appID,
        title: activity.title.map { DisplayText.clean($0) },
        webHost: activity.webHost.map { DisplayText.clean($0, maximum: Limits.nameLength) },
        isChanged: activity.isChanged, continuedFrom: activity.continuedFrom, isSnapshot: isLeftBehind,
        mayBeKept: stored != nil && allowsSnapshot)
      offer.file = folder.map { OfferFile(folder: $0, isGiven: isConnected && activity.allowsFiles) }
      return offer
    }

    public var hasSnapshot: Bool { snapshot != nil || stored != nil }
    public var allowsSnapshot: Bool { activity.allowsSnapshot && activity.isEligible }

    /// Whether a copy of the kind may be stored.
    public func allows(_ kind: StoredCopy.Kind) -> Bool {
      switch kind {
      case .search: activity.isEligibleForSearch
      case .snapshot: allowsSnapshot
      case .restoration: activity.isEligibleForRestoration
      }
    }
  }

  public private(set) var entries: [Identifier: Entry] = [:]
  private var expired: [Identifier] = []
  private var count: UInt64 = 0
  /// How long an activity can still be continued by its id after it was withdrawn, in milliseconds.
  private let graceTime: UInt64

  public init(graceTime: UInt64 = Limits.graceTime) { self.graceTime = graceTime }

  /// The session has a new current activity, in place of its former one. Throws `accessDenied`.
  public mutating func setCurrent(
    _ activity: DoorActivity, session: UInt64, appID: AppID, now: Instant
  ) throws(SegueError) {
    let known = entries[activity.id]
    // An application that lost its connection comes back with its activities on a new one.
    if let known, known.appID != appID || known.isConnected && known.session != session {
      throw SegueError(.accessDenied, "This activity belongs to another application.")
    }
    // It also replaces what an earlier run of the application has left (semantics X7).
    for (id, entry) in entries
    where !appID.isDirected && (entry.isLeftBehind ? entry.appID == appID : entry.session == session)
      && entry.graceUntil == nil
      && id != activity.id
    {
      entries[id]?.graceUntil = now + graceTime
    }
    if known == nil { makeRoom(session) }
    count += 1
    let isStillCurrent = known.map { $0.graceUntil == nil } ?? false
    entries[activity.id] = Entry(
      session: session, appID: appID, activity: activity, snapshot: known?.snapshot, saved: known?.saved ?? 0,
      since: isStillCurrent ? known?.since ?? count : count,
      started: isStillCurrent ? known?.started ?? now : now,
      deadline: activity.timeLeft.flatMap { now.deadline(in: $0) }, stored: known?.stored,
      folder: known?.activity.file == activity.file ? known?.folder : nil)
  }

  /// Notes the mark of the shared folder that the activity's file lies in, empty for none; nil: not known.
  public mutating func found(_ id: Identifier, _ file: FileURL, in folder: [UInt8]?) {
    if entries[id]?.activity.file == file { entries[id]?.folder = folder }
  }

  /// Takes up what an application has left in the store. It has ended, perhaps before this daemon was started.
  public mutating func restore(_ copy: StoredCopy, timeLeft: UInt64, now: Instant) {
    guard entries[copy.offer.id] == nil else { return }
    count += 1
    entries[copy.offer.id] = Entry(
      session: 0, appID: copy.offer.appID,
      activity: DoorActivity(
        id: copy.offer.id, revision: copy.offer.revision, type: copy.offer.type, title: copy.offer.title,
        webHost: copy.offer.webHost, isEligible: true, allowsSnapshot: true),
      since: count, isConnected: false, deadline: now.deadline(in: timeLeft), stored: copy.offer.revision)
  }

  /// Bounds the entries of a session: the one that became current longest ago goes first. So after a quick walk
  /// through many documents the last ones can still be continued.
  private mutating func makeRoom(_ session: UInt64) {
    let own = entries.filter { $0.value.session == session }
    guard own.count >= Limits.activitiesPerApplication,
      let oldest = own.min(by: { $0.value.since < $1.value.since })
    else { return }
    entries[oldest.key] = nil
  }

  public mutating func resign(_ id: Identifier, session: UInt64, now: Instant) {
    guard let entry = entries[id], entry.session == session, entry.graceUntil == nil else { return }
    entries[id]?.graceUntil = now + graceTime
  }

  /// Sets when the activity expires (nil: never), whether it is current or not.
  public mutating func setExpiry(_ id: Identifier, session: UInt64, timeLeft: UInt64?, now: Instant) {
    guard let entry = entries[id], entry.session == session else { return }
    entries[id]?.deadline = timeLeft.flatMap { now.deadline(in: $0) }
  }

  public mutating func invalidate(_ id: Identifier, session: UInt64, appID: AppID? = nil) {
    // An application that lost its connection may end its activities on a new one.
    guard let entry = entries[id], entry.session == session || !entry.isConnected && entry.appID == appID else {
      return
    }
    entries[id] = nil
  }

  /// The application's connection is gone. Activities with a snapshot can be continued for the grace time (semantics
  /// V14). The last current one stays on offer if the application allows that (semantics X7); also if it was resigned a
  /// moment ago, since applications resign when they end.
  public mutating func sessionEnded(_ session: UInt64, now: Instant) {
    let own = entries.filter { $0.value.session == session && $0.value.isConnected }
    let last = own.max { $0.value.since < $1.value.since }
    for (id, entry) in own {
      entries[id]?.isConnected = false
      guard entry.hasSnapshot else {
        entries[id] = nil
        continue
      }
      let goesOn = entries.values.contains { $0.appID == entry.appID && $0.isConnected && $0.graceUntil == nil }
      if id == last?.key, entry.allowsSnapshot, !goesOn {
        entries[id]?.graceUntil = nil
        entries[id]?.activity.isChanged = false
        // The store has the snapshot; it is read again when it is needed.
        if entry.stored == entry.snapshot?.revision { entries[id]?.snapshot = nil }
      } else if entry.graceUntil == nil {
        entries[id]?.graceUntil = now + graceTime
      }
    }
  }

  /// The store has this revision of the snapshot now, or none any more (nil).
  public mutating func stored(_ id: Identifier, revision: UInt64?) {
    entries[id]?.stored = revision
    // An entry whose application has gone cannot be continued without a snapshot, so it is removed.
    if let entry = entries[id], entry.isLeftBehind, !entry.hasSnapshot { entries[id] = nil }
  }

  /// The activity's snapshot may not be held any more.
  public mutating func forget(_ id: Identifier) {
    entries[id]?.snapshot = nil
    stored(id, revision: nil)
  }

  /// The application has sent a snapshot; changes that it makes afterwards, it tells afterwards. Returns whether the
  /// offer has changed. `isWhole`: the snapshot is the whole state, and not the part that is stored for search
  /// (semantics C5).
  @discardableResult public mutating func saved(_ snapshot: Snapshot, isWhole: Bool = true, now: Instant) -> Bool {
    guard var entry = entries[snapshot.id] else { return false }
    let former = entry.activity
    if isWhole { (entry.snapshot, entry.saved) = (snapshot, now) }
    entry.activity.revision = snapshot.revision
    entry.activity.isChanged = false
    entries[snapshot.id] = entry
    return entry.activity != former
  }

  /// Forgets what cannot be continued any more. Returns the time at which to look again.
  public mutating func expire(now: Instant) -> Instant? {
    for (id, entry) in entries where entry.deadline.map({ $0 <= now }) ?? false {
      entries[id] = nil
      expired.append(id)
    }
    entries = entries.filter { $0.value.graceUntil.map { $0 > now } ?? true }
    return entries.values.flatMap { [$0.graceUntil, $0.deadline] }.compactMap { $0 }.min()
  }

  /// The activities that have expired since the last call. No copy of them may be left (semantics C7).
  public mutating func takeExpired() -> [Identifier] {
    defer { expired = [] }
    return expired
  }

  /// The offers, each with its age, and the time that it has left.
  public func offers(now: Instant) -> [Offer] {
    offers.map { offer in
      var offer = offer
      // The age of an activity that an earlier run has left is not known.
      offer.age = entries[offer.id].flatMap { $0.isLeftBehind ? nil : now.time(since: $0.started) }
      offer.timeLeft = entries[offer.id]?.deadline.map { now.time(until: $0) }
      return offer
    }
  }

  /// The offers that other devices are told of: for each application, the activity that became current last; all of a
  /// directed one. The newest comes first.
  public var offers: [Offer] {
    var newest: [AppID: Entry] = [:]
    var directed: [Entry] = []
    for entry in entries.values where entry.graceUntil == nil && entry.activity.isEligible {
      guard !entry.appID.isDirected else {
        directed.append(entry)
        continue
      }
      if let other = newest[entry.appID], other.since > entry.since { continue }
      newest[entry.appID] = entry
    }
    return (newest.values + directed).sorted { $0.since > $1.since }.prefix(Limits.offersPerDevice).map { $0.offer }
  }

  /// Whether an activity is on offer, or the first reason why not (semantics X1), as far as that is the same for all
  /// devices.
  public func verdict(of entry: Entry) -> LocalVerdict {
    if !entry.activity.isEligible { return .notEligible }
    if isSuperseded(entry) { return .superseded }
    if entry.graceUntil != nil { return .resigned }
    guard offers.contains(where: { $0.id == entry.activity.id }) else { return .tooMany }
    return entry.isLeftBehind ? .offeredAsSnapshot : .offered
  }

  private func isSuperseded(_ entry: Entry) -> Bool {
    !entry.appID.isDirected
      && entries.values.contains {
        $0.appID == entry.appID && $0.activity.id != entry.activity.id && $0.graceUntil == nil && $0.since > entry.since
      }
  }

  /// Whether it is still its application's current activity.
  public func isCurrent(_ entry: Entry) -> Bool { entry.isConnected && entry.graceUntil == nil && !isSuperseded(entry) }

  /// The revision of an activity, if it is current and has not changed since that revision; otherwise nil.
  public func unchangedRevision(of id: Identifier) -> UInt64? {
    guard let entry = entries[id], entry.graceUntil == nil, !entry.activity.isChanged else { return nil }
    return entry.activity.revision
  }
}
