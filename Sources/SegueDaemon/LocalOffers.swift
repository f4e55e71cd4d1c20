import SegueBus
import SegueCore

/// What this device's applications have on offer, and what can still be taken for a while after it was.
///
/// Pure: sessions are numbers, time is given in.
struct LocalOffers {
  /// An activity that can be fetched.
  struct Entry: Equatable {
    var session: UInt64
    var appID: AppID
    var activity: DoorActivity
    /// The last snapshot that was taken, for the grace time of an application that has gone.
    var snapshot: Snapshot?
    /// When it became current, in the order of such events.
    var since: UInt64
    /// Monotonic milliseconds; nil while it is current.
    var graceUntil: UInt64?
    /// False once the application's connection is gone.
    var isConnected = true
  }

  private(set) var entries: [Identifier: Entry] = [:]
  private var count: UInt64 = 0
  /// How long something can still be taken by id after it was on offer, in milliseconds.
  private let graceTime: UInt64

  init(graceTime: UInt64 = Limits.graceTime) { self.graceTime = graceTime }

  /// The session's current activity, in place of its former one. Throws `accessDenied`.
  mutating func setCurrent(_ activity: DoorActivity, session: UInt64, appID: AppID, now: UInt64) throws(SegueError) {
    let known = entries[activity.id]
    // An application that lost its connection comes back with its activities by another one.
    if let known, known.appID != appID || known.isConnected && known.session != session {
      throw SegueError(.accessDenied, "This activity belongs to another application.")
    }
    for (id, entry) in entries where entry.session == session && entry.graceUntil == nil && id != activity.id {
      entries[id]?.graceUntil = now + graceTime
    }
    if known == nil { makeRoom(session) }
    count += 1
    let isStillCurrent = known.map { $0.graceUntil == nil } ?? false
    entries[activity.id] = Entry(
      session: session, appID: appID, activity: activity, snapshot: known?.snapshot,
      since: isStillCurrent ? known?.since ?? count : count)
  }

  /// What the user left longest ago gives way: a quick walk through many documents ends at one that is on offer.
  private mutating func makeRoom(_ session: UInt64) {
    let own = entries.filter { $0.value.session == session }
    guard own.count >= Limits.activitiesPerApplication,
      let oldest = own.min(by: { $0.value.since < $1.value.since })
    else { return }
    entries[oldest.key] = nil
  }

  mutating func resign(_ id: Identifier, session: UInt64, now: UInt64) {
    guard let entry = entries[id], entry.session == session, entry.graceUntil == nil else { return }
    entries[id]?.graceUntil = now + graceTime
  }

  mutating func invalidate(_ id: Identifier, session: UInt64) {
    guard entries[id]?.session == session else { return }
    entries[id] = nil
  }

  /// The application's connection is gone: what has a snapshot can be taken for the grace time (semantics V14).
  mutating func sessionEnded(_ session: UInt64, now: UInt64) {
    for (id, entry) in entries where entry.session == session {
      guard entry.snapshot != nil else {
        entries[id] = nil
        continue
      }
      entries[id]?.isConnected = false
      if entry.graceUntil == nil { entries[id]?.graceUntil = now + graceTime }
    }
  }

  /// What the application changes after the snapshot it says behind it. True if the offer is another by it.
  @discardableResult mutating func saved(_ snapshot: Snapshot) -> Bool {
    guard var entry = entries[snapshot.id] else { return false }
    let former = entry.activity
    entry.snapshot = snapshot
    entry.activity.revision = snapshot.revision
    entry.activity.isChanged = false
    entries[snapshot.id] = entry
    return entry.activity != former
  }

  /// Forgets what nobody can take any more; the time at which to look again.
  mutating func expire(now: UInt64) -> UInt64? {
    entries = entries.filter { $0.value.graceUntil.map { $0 > now } ?? true }
    return entries.values.compactMap { $0.graceUntil }.min()
  }

  /// What other devices are told: of each application the activity that became current last, newest first.
  var offers: [Offer] {
    var newest: [AppID: Entry] = [:]
    for entry in entries.values where entry.graceUntil == nil && entry.activity.isEligible {
      if let other = newest[entry.appID], other.since > entry.since { continue }
      newest[entry.appID] = entry
    }
    return newest.values.sorted { $0.since > $1.since }.prefix(Limits.offersPerDevice).map { entry in
      Offer(
        id: entry.activity.id, revision: entry.activity.revision, type: entry.activity.type, appID: entry.appID,
        title: entry.activity.title.map { DisplayText.clean($0) }, webHost: entry.activity.webHost)
    }
  }
}
