import SegueBus
import SegueCore

// Which activity is current, what the daemon knows of it, and its snapshots.

extension Application {
  // MARK: The current activity

  /// Makes it current; the former one becomes inactive, not invalid (semantics C9).
  public func makeCurrent(_ activity: Activity) {
    guard !activity.isInvalid, current !== activity else { return }
    let former = current
    current = activity
    offered[activity.id] = activity
    offerMayHaveChanged()
    if let former { dropIfAbandoned(former) }
  }

  /// Takes it off offer (semantics C10).
  public func resign(_ activity: Activity) {
    guard current === activity else { return }
    current = nil
    withdrawSentOffer()
    dropIfAbandoned(activity)
  }

  /// Ends it for good (semantics C10).
  public func invalidate(_ activity: Activity) {
    guard activity.markInvalid() else { return }
    if current === activity { current = nil }
    if sentOffer?.id == activity.id { sentOffer = nil }
    if offered.removeValue(forKey: activity.id) != nil { door?.invalidate(activity.id) }
    for responder in activity.responders { responder.forget(activity) }
    activity.responders = []
  }

  /// Nobody holds it any more: neither its owner nor a responder (semantics C12).
  func dropIfAbandoned(_ activity: Activity) {
    guard !activity.isHeld, activity.responders.isEmpty else { return }
    if current === activity {
      log(
        "the last reference to the current activity of type \(activity.type.string) was dropped; it is withdrawn. "
          + "Keep a reference as long as the user does what it says.")
      current = nil
      withdrawSentOffer()
    }
    offered[activity.id] = nil
  }

  /// A responder's property changed (semantics R1, R4, R5).
  func attach(_ responder: Responder, from former: Activity?, to activity: Activity?) {
    if let former, former !== activity {
      former.responders.removeAll { $0 === responder }
      if former.responders.isEmpty { invalidate(former) }
    }
    guard let activity, responder.userActivity === activity else { return }
    // It was ended between the setting, on another thread, and now.
    guard !activity.isInvalid else { return responder.forget(activity) }
    if !activity.responders.contains(where: { $0 === responder }) { activity.responders.append(responder) }
    activity.needsRound()  // What the new responder owns is not in userInfo yet.
    makeCurrent(activity)
  }

  // MARK: The offer

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
    guard door != nil, let activity = current else { return }
    guard !endIfExpired(activity) else { return }
    if sentOffer?.id != activity.id {
      // Once before it is first sent (semantics S8 b): a title is often set only in the callback.
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
    guard let deadline = activity.now.deadline else {
      expiryTimer?.set(nil)
      return false
    }
    guard deadline > bootMilliseconds() else {
      expiryTimer?.set(nil)
      guard sentOffer?.id == activity.id else { return true }
      sentOffer = nil
      // First that its time is over, which ends stored copies too, then that it is gone at once.
      door?.setCurrent(DoorActivity(activity))
      door?.invalidate(activity.id)
      return true
    }
    if expiryTimer == nil {
      do throws(SegueError) {
        expiryTimer = try ExpiryTimer(on: loop) { [self] in refreshOffer() }
      } catch {
        log("an activity's offer does not end by itself: \(error.message)")
      }
    }
    expiryTimer?.set(deadline)
    return false
  }

  private func withdrawSentOffer() {
    guard let sent = sentOffer else { return }
    sentOffer = nil
    door?.resign(sent.id)
  }

  /// The daemon knows nothing yet: it is new, or we are.
  func announceEverything() {
    sentOffer = nil
    offerMayHaveChanged()
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
      timeLeft: now.deadline.map { deadline in
        let now = bootMilliseconds()
        return deadline > now ? deadline &- now : 0
      })
  }

  /// A snapshot of the activity has gone to the daemon.
  mutating func noteSaved(_ id: Identifier, _ revision: UInt64) {
    guard id == self.id else { return }
    self.revision = revision
    isChanged = false
  }
}
