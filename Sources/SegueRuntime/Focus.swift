import SegueBus
import SegueClient
import SegueCore

/// The part of the application that knows which activity is current. FocusMachine decides; this makes its decision the
/// application's current activity, and numbers responders and windows.
final class Focus {
  private unowned(unsafe) let application: Application
  private var machine = FocusMachine<Activity>()
  private var lastNumber: UInt64 = 0
  /// The responders and windows that C holds, by number.
  private var responders: [UInt64: Unmanaged<Responder>] = [:]
  private var windows: [UInt64: Unmanaged<Window>] = [:]
  private var reason = FocusMachine<Activity>.Reason.none
  /// The current activity.
  private(set) var activity: Activity? {
    didSet {
      oldValue?.markCurrent(false)
      activity?.markCurrent(true)
    }
  }

  init(_ application: Application) { self.application = application }

  /// The machine's present decision, and its reason.
  var explained: (activity: Activity?, reason: FocusMachine<Activity>.Reason) { machine.current }

  /// The same in a sentence.
  var explanation: String { machine.explanation }

  // MARK: The activity's life

  /// Makes it current by itself, whatever has the focus (semantics C9, R6).
  func makeCurrent(_ activity: Activity) {
    guard !activity.isInvalid else { return }
    machine.handle(.becameCurrent(activity))
    changed()
  }

  /// Takes it off offer (semantics C10).
  func resign(_ activity: Activity) {
    guard self.activity === activity else { return }
    machine.handle(.resigned)
    changed()
    application.offering.withdraw()
  }

  /// Ends it for good (semantics C10).
  func invalidate(_ activity: Activity) {
    guard activity.markInvalid() else { return }
    let responders = activity.responders
    activity.responders = []
    for responder in responders {
      responder.attached = nil
      machine.handle(.set(responder.number, nil))
      responder.forget(activity)
    }
    machine.handle(.ended(activity))
    application.offering.end(activity)
    changed()
  }

  /// Drops an activity that neither its owner nor a responder holds any more (semantics C12).
  func dropIfAbandoned(_ activity: Activity) {
    guard !activity.isHeld, activity.responders.isEmpty else { return }
    application.offering.drop(activity)
    guard self.activity === activity else { return }
    application.log(
      "the last reference to the current activity of type \(activity.type.string) was dropped; it is withdrawn. "
        + "Keep a reference as long as the user does what it describes.")
    machine.handle(.ended(activity))
    changed()
    application.offering.withdraw(activity)
  }

  /// Called after each event of the machine, which may have made another activity the current one; the former one
  /// becomes inactive, not invalid (semantics C9). The daemon is notified at the next dispatch, so that a focus that
  /// moves from one responder to another ends no offer, even if none has it in between.
  private func changed() {
    let (activity, reason) = machine.current
    guard activity !== self.activity || reason != self.reason else { return }
    let former = self.activity
    self.reason = reason
    self.activity = activity
    if let activity { application.offering.add(activity) }
    application.offering.mayHaveChanged()
    if let former, former !== activity { dropIfAbandoned(former) }
  }

  // MARK: Responders

  /// A number for a responder or window that is being made. It is registered here once `made` was called.
  func nextNumber() -> UInt64 {
    lastNumber &+= 1
    return lastNumber
  }

  func made(_ responder: Responder) { responders[responder.number] = Unmanaged.passUnretained(responder) }

  /// Nil where C holds it no longer.
  func responder(_ number: UInt64) -> Responder? {
    guard let responder = responders[number]?.takeUnretainedValue(), responder.isHeld else { return nil }
    return responder
  }

  func next(after responder: Responder) -> Responder? {
    machine.next(after: responder.number).flatMap { self.responder($0) }
  }

  /// Throws where the chain would have a loop, or too many responders.
  func link(_ responder: Responder, to next: Responder?) throws(ChainError) {
    try machine.link(responder.number, to: next?.number)
    changed()
  }

  /// Called when a responder's property has changed (semantics R1, R4, R5). From several threads these calls may come
  /// in another order than the changes: the property's present value counts, and former ones are detached all the same.
  func attach(_ responder: Responder, from former: Activity?, to activity: Activity?) {
    if let former, former !== activity, responder.userActivity !== former { detach(responder, from: former) }
    guard let activity, responder.userActivity === activity else { return changed() }
    // The activity may have ended since another thread has set it.
    guard !activity.isInvalid else { return responder.forget(activity) }
    if responder.attached !== activity {
      if let other = responder.attached { detach(responder, from: other) }
      responder.attached = activity
      activity.responders.append(responder)
    }
    activity.needsRound()  // What the new responder owns is not in userInfo yet.
    machine.handle(.set(responder.number, activity))
    changed()
  }

  private func detach(_ responder: Responder, from activity: Activity) {
    if responder.attached === activity {
      responder.attached = nil
      machine.handle(.set(responder.number, nil))
      activity.remove(responder)
    }
    if activity.responders.isEmpty { invalidate(activity) }
  }

  /// Called when C has dropped a responder's last reference.
  func gone(_ responder: Responder) {
    responders[responder.number] = nil
    machine.handle(.responderGone(responder.number))
    changed()
  }

  // MARK: Windows

  func made(_ window: Window) {
    windows[window.number] = Unmanaged.passUnretained(window)
    machine.handle(.windowMade(window.number))
  }

  /// Nil where C holds it no longer.
  func window(_ number: UInt64) -> Window? {
    guard let window = windows[number]?.takeUnretainedValue(), window.isHeld else { return nil }
    return window
  }

  func gone(_ window: Window) {
    guard windows.removeValue(forKey: window.number) != nil else { return }
    tell(.windowGone(window.number))
  }

  /// Passes on an event of the application's windows.
  func tell(_ event: FocusMachine<Activity>.Event) {
    machine.handle(event)
    changed()
  }

  func focused(in window: Window) -> Responder? { machine.focused(in: window.number).flatMap { responder($0) } }

  func document(in window: Window) -> Responder? { machine.document(in: window.number).flatMap { responder($0) } }

  /// The window that an activity with a target content identifier goes to (semantics V9), made for it where none is
  /// right; nil for one that goes to none in particular.
  func chooseWindow(for activity: Activity) -> Window? {
    guard let target = activity.attributes.targetContentIdentifier else { return nil }
    // A window may be gone before its turn: a predicate is the application's code, and may drop others.
    let isThere = { [self] (window: Window) in !application.isClosed && self.window(window.number) === window }
    let text = CText(target)
    let chosen = FocusMachine<Activity>.choose(
      among: machine.order.compactMap { window($0) },
      prefers: { isThere($0) && $0.windowMethods.prefersContent?($0, text) ?? false },
      accepts: { isThere($0) && $0.windowMethods.canShowContent?($0, text) ?? true })
    let taken = application.isClosed ? nil : chosen ?? application.delegate.makeWindow?(application, activity)
    guard let taken, taken.application === application, isThere(taken) else { return nil }
    return taken
  }

  // MARK: The end

  /// Called when the application closes: responders and activities release each other.
  func close() {
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
    machine = FocusMachine()
    activity = nil
  }
}

extension Activity: Equatable {
  public static func == (one: Activity, other: Activity) -> Bool { one === other }
}

extension Activity {
  /// Finds the last and the first responder at once, since objects are often dropped in order.
  fileprivate func remove(_ responder: Responder) {
    if responders.last === responder {
      responders.removeLast()
    } else if let index = responders.firstIndex(where: { $0 === responder }) {
      responders.remove(at: index)
    }
  }
}
