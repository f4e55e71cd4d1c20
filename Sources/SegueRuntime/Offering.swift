import SegueBus
import SegueCore

// What the daemon knows of the current activity.

extension Application {
  /// Looks at the next dispatch whether the daemon must be told. Any thread; many changes are one look.
  func offerMayHaveChanged() {
    let due = offerCheck.withLock {
      defer { offerCheckIsDue = true }
      return offerCheckIsDue
    }
    if !due { later { [self] in refreshOffer() } }
  }

  private func refreshOffer() {
    offerCheck.withLock { offerCheckIsDue = false }
    guard door != nil else { return }
    guard let activity = current else { return withdrawSentOffer() }
    guard !endIfExpired(activity) else { return }
    if !activity.wasOffered, activity.attributes.isEligible {
      // Once before it is first sent (semantics S8 b): a title is often set only in the callback.
      activity.wasOffered = true
      let door = door
      if activity.needsSave { run(activity, .requested(.offer)) }
      guard self.door === door, current === activity else { return }
    }
    let deadline = activity.now.deadline
    let offer = DoorActivity(activity)
    guard !offer.looksLike(sentOffer) || deadline != sentDeadline else { return }
    sentOffer = offer
    sentDeadline = deadline
    door?.setCurrent(offer)
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
      guard sentOffer?.id == activity.id else { return true }
      sentOffer = nil
      // First that its time is over, which ends stored copies too, then that it is gone at once.
      door?.setCurrent(DoorActivity(activity))
      door?.invalidate(activity.id)
      return true
    }
    if expiryTimer == nil { expiryTimer = loop.timer(at: deadline) { [self] in refreshOffer() } }
    return false
  }

  func withdrawSentOffer() {
    guard let sent = sentOffer else { return }
    sentOffer = nil
    door?.resign(sent.id)
  }

  /// The daemon knows nothing yet: it is new, or we are.
  func announceEverything() {
    sentOffer = nil
    offerMayHaveChanged()
    tellExpiries()
  }
}

extension DoorActivity {
  /// What the daemon is told of an activity.
  init(_ activity: Activity) {
    let now = activity.now
    let attributes = now.attributes
    self.init(
      id: activity.id, revision: now.history.revision, type: activity.type, title: attributes.title,
      webHost: attributes.webpageURL.flatMap { Activity.webHost($0) }, isEligible: attributes.isEligible,
      isEligibleForSearch: attributes.isEligibleForSearch, allowsSnapshot: attributes.allowsSnapshot,
      isChanged: now.history.isChanged, continuedFrom: now.history.continuedFrom,
      timeLeft: now.timeLeft, reason: activity.application.focus.explanation)
  }

  /// A snapshot of the activity has gone to the daemon.
  mutating func noteSaved(_ id: Identifier, _ revision: UInt64) {
    guard id == self.id else { return }
    self.revision = revision
    isChanged = false
  }
}
