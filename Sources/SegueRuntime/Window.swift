import SegueBus
import SegueCore

/// One of the application's windows, as the application tells of it. Everything here belongs to its thread.
public final class Window: Handle, @unchecked Sendable {
  public let application: Application
  let methods: WindowMethods
  /// Its name in FocusMachine.
  let number: UInt64

  public init(application: Application, methods: WindowMethods) {
    self.application = application
    self.methods = methods
    number = application.nextFocusNumber()
    super.init(kind: .window)
    application.windows[number] = Unmanaged.passUnretained(self)
    application.focus.handle(.windowMade(number))
  }

  public override var home: Application? { application }

  public override func abandoned() { application.windowGone(self) }

  /// The responder that has the focus.
  public var focused: Responder? { application.focus.focused(in: number).flatMap { application.responder($0) } }

  public func setFocused(_ responder: Responder?) {
    application.focus.handle(.focused(number, responder?.number))
    application.focusChanged()
  }

  /// The document whose activity counts behind the chain.
  public var document: Responder? { application.focus.document(in: number).flatMap { application.responder($0) } }

  public func setDocument(_ document: Responder?) {
    application.focus.handle(.documentSet(number, document?.number))
    application.focusChanged()
  }
}

// Which window an activity that arrives goes to.

extension Application {
  /// Says which window the user works in; nil: none of the application's.
  public func setMainWindow(_ window: Window?) {
    focus.handle(.mainWindow(window?.number))
    focusChanged()
  }

  /// Nil where C holds it no longer.
  func window(_ number: UInt64) -> Window? {
    guard let window = windows[number]?.takeUnretainedValue(), window.isHeld else { return nil }
    return window
  }

  /// The window that an activity with a target content identifier goes to (semantics V9), made for it where none is
  /// right; nil for one that goes to none in particular.
  func chooseWindow(for activity: Activity) -> Window? {
    guard let target = activity.attributes.targetContentIdentifier else { return nil }
    // What was asked for here may be gone before it is asked: a predicate is the application's code.
    let isThere = { [self] (window: Window) in !isClosed && self.window(window.number) === window }
    let text = CText(target)
    let chosen = FocusMachine<Activity>.choose(
      among: focus.order.compactMap { window($0) },
      prefers: { isThere($0) && $0.methods.prefersContent?($0, text) ?? false },
      accepts: { isThere($0) && $0.methods.canShowContent?($0, text) ?? true })
    let taken = isClosed ? nil : chosen ?? delegate.makeWindow?(self, activity)
    guard let taken, taken.application === self, isThere(taken) else { return nil }
    return taken
  }

  /// Who continues an activity that goes to `window`.
  func continuing(in window: Window?) -> ((Application, Activity, Restoration) -> Bool)? {
    guard let window, let continueActivity = window.methods.continueActivity else { return delegate.continueActivity }
    return { _, activity, restoration in continueActivity(window, activity, restoration) }
  }

  func windowGone(_ window: Window) {
    guard windows.removeValue(forKey: window.number) != nil else { return }
    focus.handle(.windowGone(window.number))
    focusChanged()
  }
}
