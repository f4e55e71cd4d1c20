import SegueBus
import SegueCore

// Which activity is current. FocusMachine decides; here its decision becomes the application's current activity.

extension Activity: Equatable {
  public static func == (one: Activity, other: Activity) -> Bool { one === other }
}

extension Application {
  /// Makes it current by itself, whatever has the focus (semantics C9, R6).
  public func makeCurrent(_ activity: Activity) {
    guard !activity.isInvalid else { return }
    focus.handle(.becameCurrent(activity))
    focusChanged()
  }

  /// Takes it off offer (semantics C10).
  public func resign(_ activity: Activity) {
    guard current === activity else { return }
    focus.handle(.resigned)
    focusChanged()
    withdrawSentOffer()
  }

  /// Ends it for good (semantics C10).
  public func invalidate(_ activity: Activity) {
    guard activity.markInvalid() else { return }
    let responders = activity.responders
    activity.responders = []
    for responder in responders {
      responder.attached = nil
      focus.handle(.set(responder.number, nil))
      responder.forget(activity)
    }
    focus.handle(.ended(activity))
    if sentOffer?.id == activity.id { sentOffer = nil }
    if offered.removeValue(forKey: activity.id) != nil { door?.invalidate(activity.id) }
    focusChanged()
  }

  /// Nobody holds it any more: neither its owner nor a responder (semantics C12).
  func dropIfAbandoned(_ activity: Activity) {
    guard !activity.isHeld, activity.responders.isEmpty else { return }
    offered[activity.id] = nil
    guard current === activity else { return }
    log(
      "the last reference to the current activity of type \(activity.type.string) was dropped; it is withdrawn. "
        + "Keep a reference as long as the user does what it says.")
    focus.handle(.ended(activity))
    focusChanged()
    if sentOffer?.id == activity.id { withdrawSentOffer() }
  }

  /// Something that FocusMachine was told may have made another activity the current one; the former one becomes
  /// inactive, not invalid (semantics C9). The daemon hears of it at the next dispatch, so that a focus that goes from
  /// one to the other by way of nobody ends no offer.
  func focusChanged() {
    let (activity, reason) = focus.current
    guard activity !== current || reason != currentReason else { return }
    let former = current
    currentReason = reason
    current = activity
    if let activity { offered[activity.id] = activity }
    offerMayHaveChanged()
    if let former, former !== activity { dropIfAbandoned(former) }
  }

  // MARK: Responders

  func nextFocusNumber() -> UInt64 {
    focusNumber &+= 1
    return focusNumber
  }

  /// Nil where C holds it no longer.
  func responder(_ number: UInt64) -> Responder? {
    guard let responder = responders[number]?.takeUnretainedValue(), responder.isHeld else { return nil }
    return responder
  }

  /// A responder's property changed (semantics R1, R4, R5). From several threads the news may come in another order than
  /// the changes did: what the property is now is what counts, and what it was is ended all the same.
  func attach(_ responder: Responder, from former: Activity?, to activity: Activity?) {
    if let former, former !== activity, responder.userActivity !== former { detach(responder, from: former) }
    guard let activity, responder.userActivity === activity else { return focusChanged() }
    // It was ended between the setting, on another thread, and now.
    guard !activity.isInvalid else { return responder.forget(activity) }
    if responder.attached !== activity {
      if let other = responder.attached { detach(responder, from: other) }
      responder.attached = activity
      activity.responders.append(responder)
    }
    activity.needsRound()  // What the new responder owns is not in userInfo yet.
    focus.handle(.set(responder.number, activity))
    focusChanged()
  }

  private func detach(_ responder: Responder, from activity: Activity) {
    if responder.attached === activity {
      responder.attached = nil
      focus.handle(.set(responder.number, nil))
      activity.remove(responder)
    }
    if activity.responders.isEmpty { invalidate(activity) }
  }

  /// C has dropped its last reference.
  func responderGone(_ responder: Responder) {
    responders[responder.number] = nil
    focus.handle(.responderGone(responder.number))
    focusChanged()
  }

  /// The application is closing: responders and activities hold each other no longer.
  func closeFocus() {
    for reference in responders.values {
      let responder = reference.takeUnretainedValue()
      guard let activity = responder.attached else { continue }
      responder.attached = nil
      responder.forget(activity)
      activity.responders = []
      activity.delegate = ActivityDelegate()
    }
    responders = [:]
    windows = [:]
    focus = FocusMachine()
  }
}

extension Activity {
  /// The one that came last, or first, is found at once, since objects are often dropped in an order.
  fileprivate func remove(_ responder: Responder) {
    if responders.last === responder {
      responders.removeLast()
    } else if let index = responders.firstIndex(where: { $0 === responder }) {
      responders.remove(at: index)
    }
  }
}
