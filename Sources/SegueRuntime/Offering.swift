import SegueBus
import SegueClient
import SegueCore

/// The daemon's knowledge of the application's activities: a part of the application.
final class Offering: @unchecked Sendable {
  private unowned(unsafe) let application: Application

  // The application's thread.
  /// The activities that were on offer and may be requested: current, or resigned and still held by their owner.
  private var offered: [Identifier: Activity] = [:]
  /// The last message to the daemon about the current activity; nil: that there is none.
  private var sent: DoorActivity?
  /// When the activity of `sent` expires.
  private var sentDeadline: Instant?
  private var expiryTimer: LoopTimer?
  /// The members of `offered` whose new dates were not sent to the daemon yet.
  private var untoldExpiries = Set<Identifier>()
  /// The activities that have ended while there was no daemon, and whose states it has to forget.
  private(set) var untoldEnds: [Identifier] = []
  private var heard = HeardContinuations()

  private let lock = Lock()
  /// Whether a check of the current activity is queued. Under the lock.
  private var isDue = false

  init(_ application: Application) { self.application = application }

  private var door: Door? { application.registration.door }

  // MARK: Requests

  func add(_ activity: Activity) { offered[activity.id] = activity }

  func activity(_ id: Identifier) -> Activity? { offered[id] }

  func has(_ activity: Activity) -> Bool { offered[activity.id] === activity }

  /// Drops an activity that has no holder any more.
  func drop(_ activity: Activity) { offered[activity.id] = nil }

  /// Withdraws an activity that has ended for good. The state that an earlier run had stored of it goes too: what its
  /// window showed is not to come back (semantics C17).
  func end(_ activity: Activity) {
    if sent?.id == activity.id { sent = nil }
    if let restored = activity.restoredFrom { endState(restored) }
    guard offered.removeValue(forKey: activity.id) != nil else { return }
    if let door {
      door.invalidate(activity.id)
    } else if activity.attributes.isEligibleForRestoration {
      endState(activity.id)
    }
  }

  /// Says that a stored state is over, now or when there is a daemon.
  private func endState(_ id: Identifier) {
    guard door == nil else { return door?.invalidate(id) ?? () }
    if untoldEnds.count >= Limits.untoldEnds { untoldEnds.removeFirst() }
    untoldEnds.append(id)
  }

  // MARK: The offers

  /// Checks at the next dispatch whether the daemon must be notified. Any thread; many changes cause one check.
  func mayHaveChanged() {
    let due = lock.withLock {
      defer { isDue = true }
      return isDue
    }
    if !due { application.later { [self] in refresh() } }
  }

  private func refresh() {
    lock.withLock { isDue = false }
    guard let door else { return }
    guard let activity = application.focus.activity else { return withdraw() }
    guard !endIfExpired(activity) else { return }
    if !activity.wasOffered, activity.attributes.isEligible {
      // A save round runs once before the first offer (semantics S8 b): a title is often set only in the callback.
      activity.wasOffered = true
      if activity.needsSave { application.saving.run(activity, .requested(.offer)) }
      guard self.door === door, application.focus.activity === activity else { return }
    }
    let deadline = activity.now.deadline
    let offer = told(activity)
    guard !offer.looksLike(sent) || deadline != sentDeadline else { return }
    sent = offer
    sentDeadline = deadline
    door.setCurrent(offer)
  }

  /// Ends the offer of the current activity at its expiration date (semantics C7), also in the middle of it; until then
  /// the timer waits for it. The activity stays current: with another date it is on offer again.
  private func endIfExpired(_ activity: Activity) -> Bool {
    let deadline = activity.now.deadline
    if expiryTimer?.deadline != deadline {
      expiryTimer?.cancel()
      expiryTimer = nil
    }
    guard let deadline else { return false }
    guard deadline > .now else {
      guard sent?.id == activity.id else { return true }
      sent = nil
      // The first message says that its time is over, which ends stored copies too; the second, that it is gone at
      // once.
      door?.setCurrent(told(activity))
      door?.invalidate(activity.id)
      return true
    }
    if expiryTimer == nil { expiryTimer = application.loop.timer(at: deadline) { [self] in refresh() } }
    return false
  }

  /// The daemon's description of an activity.
  private func told(_ activity: Activity) -> DoorActivity {
    DoorActivity(activity, reason: application.focus.explanation)
  }

  /// Withdraws the offer; with an activity, only if that is on offer.
  func withdraw(_ activity: Activity? = nil) {
    guard let sent, activity == nil || sent.id == activity?.id else { return }
    self.sent = nil
    door?.resign(sent.id)
  }

  /// Notes that a snapshot of the activity has gone to the daemon, which learns from it the revision, and that no
  /// change is unsaved.
  func noteSaved(_ activity: Activity, _ revision: UInt64) { sent?.noteSaved(activity.id, revision) }

  // MARK: Expiration dates

  /// Sends a new date of an activity that was on offer: it can be continued for a while, and copies of it are stored,
  /// for which the date holds too.
  func expiryChanged(_ id: Identifier) {
    guard offered[id] != nil else { return }
    untoldExpiries.insert(id)
    tellExpiries()
  }

  private func tellExpiries() {
    guard let door else { return }
    for id in untoldExpiries {
      if let activity = offered[id] { door.setExpiry(id, timeLeft: activity.now.timeLeft) }
    }
    untoldExpiries = Set()
  }

  // MARK: The daemon

  /// Called when the door has opened: the daemon knows no activity yet, since it or this process is new.
  func doorOpened() {
    sent = nil
    for id in untoldEnds { door?.invalidate(id) }
    untoldEnds = []
    mayHaveChanged()
    tellExpiries()
  }

  func doorLost() { sent = nil }

  /// Calls was_continued once: the daemon repeats the message if it is not sure that it was received.
  func wasContinued(_ activity: Activity, by continuation: Identifier?, inBrowser: Bool) {
    if let continuation, !heard.isNew(continuation) { return }
    activity.update { $0.wasContinuedInBrowser = inBrowser }
    activity.delegate.wasContinued?(activity)
    activity.update { $0.wasContinuedInBrowser = false }
  }

  // MARK: The end

  /// Called when the application closes: activities make no callbacks any more.
  func close() {
    for activity in offered.values { activity.delegate = ActivityDelegate() }
    offered = [:]
    expiryTimer?.cancel()
    expiryTimer = nil
  }
}

extension DoorActivity {
  fileprivate init(_ activity: Activity, reason: String) {
    let now = activity.now
    let attributes = now.attributes
    self.init(
      id: activity.id, revision: now.history.revision, type: activity.type, title: attributes.title,
      webHost: attributes.webpageURL.flatMap { WebURL($0)?.authority }, isEligible: attributes.isEligible,
      isEligibleForSearch: attributes.isEligibleForSearch, allowsSnapshot: attributes.allowsSnapshot,
      isEligibleForRestoration: attributes.isEligibleForRestoration,
      isChanged: now.history.isChanged, continuedFrom: now.history.continuedFrom, timeLeft: now.timeLeft, reason: reason
    )
    // What stays on this device is no other device's business.
    if let key = FileURL.keyOfFile(in: attributes.userInfo, activity.type), !now.deviceKeys.contains(key) {
      file = FileURL(aboutWhich: attributes.userInfo, activity.type)
    }
    allowsFiles = file != nil && attributes.allowsFiles
  }

  fileprivate mutating func noteSaved(_ id: Identifier, _ revision: UInt64) {
    guard id == self.id else { return }
    self.revision = revision
    isChanged = false
  }
}
