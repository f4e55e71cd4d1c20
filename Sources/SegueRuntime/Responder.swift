import SegueBus
import SegueCore

/// An object of the application that owns a part of an activity's state.
public class Responder: Handle, @unchecked Sendable {
  public let application: Application
  let methods: ResponderMethods
  /// Its name in FocusMachine.
  let number: UInt64

  private let lock = Lock()
  private var property: Activity?
  /// The observer will be told at the next dispatch.
  private var isTellingDue = false

  // The application's thread.
  /// The activity among whose responders it is: the property, once its setting has come to this thread.
  var attached: Activity?
  /// What the observer was told last.
  private var told: Identifier?

  /// The application's thread.
  public init(application: Application, methods: ResponderMethods, kind: Kind = .responder) {
    self.application = application
    self.methods = methods
    number = application.nextFocusNumber()
    super.init(kind: kind)
    application.responders[number] = Unmanaged.passUnretained(self)
  }

  public final override func abandoned(_ retained: Unmanaged<Handle>) {
    application.afterwards(releasing: retained) { if !self.isHeld { self.leave() } }
  }

  /// C has dropped its last reference; the application's thread.
  func leave() {
    try? assign(nil)
    application.responderGone(self)
  }

  // MARK: Its activity, any thread

  /// The activity that this responder has a part in (semantics R9).
  public var userActivity: Activity? { lock.withLock { property } }

  /// Attaches to an activity, or detaches with nil. On the application's thread it takes effect at once, from another
  /// one at the next dispatch.
  public func setUserActivity(_ activity: Activity?) throws(SegueError) { try assign(activity) }

  /// Does it, unless `isAllowed` says no: asked where nobody else can set the property.
  final func assign(_ activity: Activity?, when isAllowed: () -> Bool = { true }) throws(SegueError) {
    if let activity, activity.isInvalid { throw SegueError(.invalidated, "The activity was invalidated.") }
    let (former, isSet) = lock.withLock {
      let former = property
      guard isAllowed() else { return (former, false) }
      property = activity
      return (former, true)
    }
    guard isSet else { return }
    application.onItsThread { [self] in
      application.attach(self, from: former, to: activity)
      didAttach()
    }
    if former !== activity { propertyChanged() }
  }

  /// Forgets an activity that was invalidated.
  func forget(_ activity: Activity) {
    let isAnother = lock.withLock {
      guard property === activity else { return false }
      property = nil
      return true
    }
    if isAnother { propertyChanged() }
  }

  /// Its activity may be another one, and what follows from that is done; the application's thread.
  func didAttach() {}

  // MARK: Its observer

  private func propertyChanged() {
    // Who has dropped it hears nothing, and what waits to tell would keep it.
    guard methods.changed != nil, isHeld else { return }
    let isFirst = lock.withLock {
      defer { isTellingDue = true }
      return !isTellingDue
    }
    if isFirst { application.later { [self] in tell() } }
  }

  private func tell() {
    let activity = lock.withLock {
      isTellingDue = false
      return property
    }
    guard isHeld, activity?.id != told else { return }
    told = activity?.id
    methods.changed?(self, activity)
  }

  // MARK: The chain, the application's thread

  public var next: Responder? { application.focus.next(after: number).flatMap { application.responder($0) } }

  /// Throws where the chain would have a loop, or too many responders.
  public func setNext(_ next: Responder?) throws(ChainError) {
    try application.focus.link(number, to: next?.number)
    application.focusChanged()
  }

  // MARK: Its methods, the application's thread

  /// Adds its part to an activity that is saved.
  func update(_ activity: Activity) { methods.update?(self, activity) }

  /// Runs the responder's own update in this call.
  public final func update(byHand activity: Activity) { update(activity) }

  /// Runs the responder's own restore in this call.
  public func restore(from activity: Activity) { methods.restore?(self, activity) }

  /// The same for an activity that was continued here.
  /// `others` are handed over too, by number: each restores once (semantics R10).
  func restore(fromContinued activity: Activity, beside others: Set<UInt64>) { restore(from: activity) }
}
