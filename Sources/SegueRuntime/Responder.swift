import SegueBus
import SegueClient
import SegueCore

/// An object of the application that owns a part of an activity's state.
public class Responder: Handle, @unchecked Sendable {
  public let application: Application
  let methods: ResponderMethods
  /// Its name in FocusMachine.
  let number: UInt64

  private let lock = Lock()
  /// The activity, owned. It is unmanaged, so that a thread that replaces it hands the former one over without a
  /// reference of its own.
  private var property: Unmanaged<Activity>?
  /// Whether the observer will be called at the next dispatch.
  private var isTellingDue = false

  // The application's thread.
  /// The activity among whose responders it is: the property, once its setting has come to this thread.
  var attached: Activity?
  /// The activity with which the observer was last called.
  private var told: Identifier?

  /// The application's thread.
  public init(application: Application, methods: ResponderMethods, kind: Kind = .responder) {
    self.application = application
    self.methods = methods
    number = application.focus.nextNumber()
    super.init(kind: kind)
    application.focus.made(self)
  }

  deinit { property?.release() }

  public final override var home: Application? { application }

  public override func abandoned() {
    try? assign(nil)
    application.focus.gone(self)
  }

  // MARK: Its activity, any thread

  /// The activity that this responder has a part in (semantics R9).
  public var userActivity: Activity? { lock.withLock { property?.takeUnretainedValue() } }

  /// Attaches to an activity, or detaches with nil. On the application's thread it takes effect at once, from another
  /// one at the next dispatch.
  public func setUserActivity(_ activity: Activity?) throws(SegueError) { try assign(activity) }

  /// Sets the activity, unless `isAllowed` returns false: it is called while no other thread can set the property.
  final func assign(_ activity: Activity?, when isAllowed: () -> Bool = { true }) throws(SegueError) {
    if let activity, activity.isInvalid { throw SegueError(.invalidated, "The activity was invalidated.") }
    let (former, isSet) = lock.withLock {
      let former = property
      guard isAllowed() else { return (former, false) }
      property = activity.map { Unmanaged.passRetained($0) }
      return (former, true)
    }
    guard isSet else { return }
    let isAnother = former?.toOpaque() != activity.map { Unmanaged.passUnretained($0).toOpaque() }
    hand(former, to: activity)
    if isAnother { propertyChanged() }
  }

  /// Takes the change to the application's thread, and the reference to the former activity with it.
  private func hand(_ former: Unmanaged<Activity>?, to activity: Activity?) {
    if application.actsAtOnce({ propertyWasSet(from: former?.takeUnretainedValue(), to: activity) }) {
      former?.release()
      return
    }
    let itself = Unmanaged.passRetained(self)
    let next = activity.map { Unmanaged.passRetained($0) }
    application.hand { isOpen in
      if isOpen {
        itself.takeUnretainedValue().propertyWasSet(
          from: former?.takeUnretainedValue(), to: next?.takeUnretainedValue())
      }
      former?.release()
      next?.release()
      itself.release()
    }
  }

  private func propertyWasSet(from former: Activity?, to activity: Activity?) {
    application.focus.attach(self, from: former, to: activity)
    didAttach()
  }

  /// Forgets an activity that was invalidated.
  func forget(_ activity: Activity) {
    let former = lock.withLock { () -> Unmanaged<Activity>? in
      guard let former = property, former.toOpaque() == Unmanaged.passUnretained(activity).toOpaque() else {
        return nil
      }
      property = nil
      return former
    }
    guard let former else { return }
    propertyChanged()
    former.release()
  }

  /// Called when its activity may be another one, after all consequences; the application's thread.
  func didAttach() {}

  // MARK: Its observer

  private func propertyChanged() {
    // A dropped responder has no callbacks, and a queued call would keep it alive.
    guard methods.changed != nil, isHeld else { return }
    let isFirst = lock.withLock {
      defer { isTellingDue = true }
      return !isTellingDue
    }
    if isFirst { application.later(with: self) { $0.tell() } }
  }

  private func tell() {
    let activity = lock.withLock {
      isTellingDue = false
      return property?.takeUnretainedValue()
    }
    guard isHeld, activity?.id != told else { return }
    told = activity?.id
    methods.changed?(self, activity)
  }

  // MARK: The chain, the application's thread

  public var next: Responder? { application.focus.next(after: self) }

  /// Throws where the chain would have a loop, or too many responders.
  public func setNext(_ next: Responder?) throws(ChainError) {
    try application.focus.link(self, to: next)
  }

  // MARK: Its methods, the application's thread

  /// Adds its part to an activity that is saved. Returns why it could not, where the library can know.
  @discardableResult
  func update(_ activity: Activity) -> SegueError? {
    methods.update?(self, activity)
    return nil
  }

  /// Runs the responder's own update in this call.
  public final func update(byHand activity: Activity) -> SegueError? { update(activity) }

  /// Runs the responder's own restore in this call. Returns why it could not, where the library can know.
  @discardableResult
  public func restore(from activity: Activity) -> SegueError? {
    methods.restore?(self, activity)
    return nil
  }

  /// The same for an activity that was continued here.
  /// `others` are the numbers of responders that are handed over too: each restores once (semantics R10).
  func restore(fromContinued activity: Activity, beside others: Set<UInt64>) { restore(from: activity) }
}
