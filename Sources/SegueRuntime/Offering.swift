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
    try? activity.setNeedsSave(true)  // What the new responder owns is not in userInfo yet.
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
    guard let door, let activity = current else { return }
    if sentOffer?.id != activity.id {
      // Once before it is first sent (semantics S8 b): a title is often set only in the callback.
      if activity.needsSave { run(activity, .requested(.offer)) }
      guard self.door === door, current === activity else { return }
    }
    let offer = DoorActivity(activity)
    guard !offer.looksLike(sentOffer) else { return }
    sentOffer = offer
    door.setCurrent(offer)
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

  // MARK: Saving

  /// The daemon asks for a snapshot (semantics S11).
  func save(_ id: Identifier, _ invocation: Invocation) {
    guard let activity = offered[id] else {
      return invocation.fail(SegueError(.notFound, "This application has no such activity any more."))
    }
    saveCallCount &+= 1
    saveCalls[saveCallCount] = invocation
    run(activity, .requested(.fetch(saveCallCount)))
  }

  private func run(_ activity: Activity, _ event: SaveMachine<Activity.SaveRequest>.Event) {
    for effect in activity.saving(event) {
      switch effect {
      case .runRound:
        callSavers(of: activity)
        run(activity, .roundEnded)
      case .answer(let requests):
        answer(requests, of: activity)
      }
    }
  }

  /// One round (semantics S10): the responders in order, the application's delegate, the activity's delegate last.
  private func callSavers(of activity: Activity) {
    let responders = activity.responders
    if !responders.isEmpty { activity.emptyUserInfo() }
    for responder in responders where responder.userActivity === activity {
      responder.methods.update?(responder, activity)
    }
    delegate.didUpdate?(self, activity)
    activity.delegate.willSave?(activity)
  }

  private func answer(_ requests: [Activity.SaveRequest], of activity: Activity) {
    var invocations: [Invocation] = []
    for case .fetch(let number) in requests {
      if let invocation = saveCalls.removeValue(forKey: number) { invocations.append(invocation) }
    }
    guard !invocations.isEmpty else { return }
    guard !activity.isInvalid else {
      let error = SegueError(.invalidated, "The activity was ended while it was saved.")
      for invocation in invocations { invocation.fail(error) }
      return
    }
    do {
      let (snapshot, userInfo) = try activity.takeSnapshot()
      warnOfSize(of: activity.type, userInfo)
      let answer = try DoorSnapshot.encode(snapshot)
      for invocation in invocations { invocation.reply([.dictionary(answer)]) }
    } catch {
      log(error.message)
      for invocation in invocations { invocation.fail(error) }
    }
    offerMayHaveChanged()
  }

  /// One warning per type (semantics E4).
  private func warnOfSize(of type: ActivityType, _ userInfo: CBOR.Encoded) {
    guard userInfo.bytes.count > Limits.userInfoAdvised, !warnedTypes.contains(type) else { return }
    warnedTypes.insert(type)
    log(
      "userInfo of \(type.string) takes \(userInfo.bytes.count) bytes\(userInfo.largestInSentence). "
        + "Over \(Limits.userInfoAdvised) continuing becomes slow: keep in it what is needed to find the state again.")
  }
}

extension DoorActivity {
  /// What the daemon is told of an activity.
  init(_ activity: Activity) {
    let now = activity.now
    self.init(
      id: activity.id, revision: now.revision, type: activity.type, title: now.title,
      webHost: now.webpageURL.flatMap { Activity.webHost($0) }, isEligible: now.isEligible)
  }
}
