import SegueBus
import SegueClient
import SegueCore

/// What the daemon knows of the application's activities: a part of the application.
final class Offering: @unchecked Sendable {
  private unowned(unsafe) let application: Application

  // The application's thread.
  /// Those that were on offer and may be asked for: current, or resigned and still held by their owner.
  private var offered: [Identifier: Activity] = [:]
  /// What the daemon was told last of the current activity; nil: that there is none.
  private var sent: DoorActivity?
  /// When the activity of `sent` expires.
  private var sentDeadline: Instant?
  private var expiryTimer: LoopTimer?
  /// Those of `offered` whose dates the daemon has not heard.
  private var untoldExpiries = Set<Identifier>()
  private var heard = HeardContinuations()

  private let lock = Lock()
  /// A look at the current activity is queued. Under the lock.
  private var isDue = false

  init(_ application: Application) { self.application = application }

  private var door: Door? { application.registration.door }

  // MARK: What may be asked for

  func add(_ activity: Activity) { offered[activity.id] = activity }

  func activity(_ id: Identifier) -> Activity? { offered[id] }

  func has(_ activity: Activity) -> Bool { offered[activity.id] === activity }

  /// Nobody holds it any more.
  func drop(_ activity: Activity) { offered[activity.id] = nil }

  /// It has ended for good.
  func end(_ activity: Activity) {
    if sent?.id == activity.id { sent = nil }
    if offered.removeValue(forKey: activity.id) != nil { door?.invalidate(activity.id) }
  }

  // MARK: What is on offer

  /// Looks at the next dispatch whether the daemon must be told. Any thread; many changes are one look.
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
      // Once before it is first sent (semantics S8 b): a title is often set only in the callback.
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
      // First that its time is over, which ends stored copies too, then that it is gone at once.
      door?.setCurrent(told(activity))
      door?.invalidate(activity.id)
      return true
    }
    if expiryTimer == nil { expiryTimer = application.loop.timer(at: deadline) { [self] in refresh() } }
    return false
  }

  /// What the daemon is told of an activity.
  private func told(_ activity: Activity) -> DoorActivity {
    DoorActivity(activity, reason: application.focus.explanation)
  }

  /// Takes what is on offer off; of an activity: if it is that one.
  func withdraw(_ activity: Activity? = nil) {
    guard let sent, activity == nil || sent.id == activity?.id else { return }
    self.sent = nil
    door?.resign(sent.id)
  }

  /// A snapshot of the activity has gone to the daemon, which takes both from it.
  func noteSaved(_ activity: Activity, _ revision: UInt64) { sent?.noteSaved(activity.id, revision) }

  // MARK: Expiration dates

  /// What was on offer may be had for a while, and copies of it are stored: its date holds for them too.
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

  /// The daemon knows nothing yet: it is new, or we are.
  func doorOpened() {
    sent = nil
    mayHaveChanged()
    tellExpiries()
  }

  func doorLost() { sent = nil }

  /// The daemon says it more than once, where it is not sure that it was heard.
  func wasContinued(_ activity: Activity, by continuation: Identifier?, inBrowser: Bool) {
    if let continuation, !heard.isNew(continuation) { return }
    activity.update { $0.wasContinuedInBrowser = inBrowser }
    activity.delegate.wasContinued?(activity)
    activity.update { $0.wasContinuedInBrowser = false }
  }

  // MARK: The end

  /// Activities call nobody any more.
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
      isChanged: now.history.isChanged,
      continuedFrom: now.history.continuedFrom, timeLeft: now.timeLeft, reason: reason)
  }

  fileprivate mutating func noteSaved(_ id: Identifier, _ revision: UInt64) {
    guard id == self.id else { return }
    self.revision = revision
    isChanged = false
  }
}
