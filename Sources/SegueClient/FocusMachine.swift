import SegueCore

/// Which activity of an application is current, and why (semantics R6).
///
/// The machine knows windows and responders by numbers, which are never used again; a window is a responder too. It
/// holds what the application has reported: the activity of each responder, the next responder in the chain, the
/// focused responder of each window, and the main window. These decide at any moment which activity is current.
public struct FocusMachine<Activity: Equatable & Sendable>: Sendable {
  public typealias Responder = UInt64
  public typealias Window = UInt64

  public enum Event: Sendable {
    /// A responder has this activity from now on, or none.
    case set(Responder, Activity?)
    /// The responder has been freed: no reference to it is left.
    case responderGone(Responder)
    case windowMade(Window)
    case windowGone(Window)
    /// A window's responder that has the focus, or none.
    case focused(Window, Responder?)
    /// A window's document, which is a responder too and stands behind the chain, or none.
    case documentSet(Window, Responder?)
    /// The window that the user works in, or none of the application's.
    case mainWindow(Window?)
    /// The application made it current by itself.
    case becameCurrent(Activity)
    /// The application took the current activity off offer.
    case resigned
    /// The activity was invalidated, or its last reference is gone; no responder has it now.
    case ended(Activity)
  }

  public enum Reason: Equatable, Sendable {
    /// No activity is current.
    case none
    /// The application made it current by itself.
    case explicit
    /// It belongs to the main window's focused responder, or to one so many steps after it in the chain.
    case focus(Responder, steps: Int)
    /// It belongs to the main window, which stands behind the chain.
    case window(Window)
    /// It belongs to the main window's document.
    case document(Responder)
    /// There is no main window, and it was set on a responder last.
    case lastSet(Responder)
  }

  /// The application's explicit choice. It counts until the focus next changes.
  private enum Choice: Sendable {
    case activity(Activity)
    case nothing
  }

  private struct WindowState: Sendable {
    var focused: Responder?
    var document: Responder?
  }

  /// One setting of a responder's property; counts while it is the responder's last one.
  private struct Setting: Sendable {
    var responder: Responder
    var number: UInt64
  }

  private var properties: [Responder: (activity: Activity, setting: UInt64)] = [:]
  private var next: [Responder: Responder] = [:]
  private var windows: [Window: WindowState] = [:]
  private var settings: [Setting] = []
  private var settingCount: UInt64 = 0
  private var choice: Choice?
  /// Stays when the desktop's focus goes to another application, since that does not end the offer.
  private var main: Window?
  /// All windows. The one that was main last comes first; windows that were never main come last, in the order in which
  /// they were made.
  public private(set) var order: [Window] = []

  public init() {}

  // MARK: The chain

  /// Puts `next` after `responder`, or nothing. Throws `.loop` if `responder` comes after `next` already, and
  /// `.tooLong` if too many do.
  public mutating func link(_ responder: Responder, to next: Responder?) throws(ChainError) {
    guard let next else {
      self.next[responder] = nil
      return
    }
    var place: Responder? = next
    var length = 1
    while let here = place {
      guard here != responder else { throw .loop }
      length &+= 1
      guard length <= Limits.responderChain else { throw .tooLong }
      place = self.next[here]
    }
    self.next[responder] = next
  }

  /// The next responder after `responder`, which may be gone.
  public func next(after responder: Responder) -> Responder? { next[responder] }

  /// The focused responder of a window by the last `focused` event; it may be gone.
  public func focused(in window: Window) -> Responder? { windows[window]?.focused }

  public func document(in window: Window) -> Responder? { windows[window]?.document }

  // MARK: The current activity

  public var current: (activity: Activity?, reason: Reason) {
    switch choice {
    case .activity(let activity): return (activity, .explicit)
    case .nothing: return (nil, .none)
    case nil: break
    }
    guard let main, let window = windows[main] else {
      guard let last = settings.last, let property = properties[last.responder] else { return (nil, .none) }
      return (property.activity, .lastSet(last.responder))
    }
    var place = window.focused
    var steps = 0
    while let here = place, steps < Limits.responderChain {
      if let property = properties[here] { return (property.activity, .focus(here, steps: steps)) }
      place = next[here]
      steps &+= 1
    }
    if let property = properties[main] { return (property.activity, .window(main)) }
    if let document = window.document, let property = properties[document] {
      return (property.activity, .document(document))
    }
    // The main window has no activity. An activity of another window would be worse than none.
    return (nil, .none)
  }

  /// The sentence for the developer and for `segue explain`.
  public var explanation: String {
    switch current.reason {
    case .explicit: "The application made it current, and the focus has not changed since."
    case .focus(_, steps: 0): "It belongs to the focused responder of the main window."
    case .focus(_, let steps):
      "It belongs to a responder of the main window, \(steps) after the focused one in the chain."
    case .window: "It belongs to the main window itself."
    case .document: "It belongs to the document of the main window."
    case .lastSet: "It was the last one set on a responder, and the application has named no main window."
    case .none: reasonForNone
    }
  }

  private var reasonForNone: String {
    if choice != nil { return "The application took its activity off offer, and the focus has not changed since." }
    if let main, let window = windows[main] {
      return window.focused == nil
        ? "The main window has no focused responder, and no document with an activity."
        : "Neither the main window's focused responder nor one after it in the chain has an activity, nor a document."
    }
    return "The application made no activity current, and set none on a responder."
  }

  // MARK: Events

  public mutating func handle(_ event: Event) {
    switch event {
    case .set(let responder, let activity): set(responder, activity)
    case .responderGone(let responder):
      set(responder, nil)
      next[responder] = nil
    case .windowMade(let window):
      windows[window] = WindowState()
      order.append(window)
    case .windowGone(let window):
      windows[window] = nil
      order.removeAll { $0 == window }
      if main == window {
        main = nil
        choice = nil
      }
    case .focused(let window, let responder):
      guard let state = windows[window], state.focused != responder else { return }
      windows[window]?.focused = responder
      if main == window { choice = nil }
    case .documentSet(let window, let document):
      guard windows[window] != nil else { return }
      windows[window]?.document = document
    case .mainWindow(let window):
      // The user is in another application, and may turn to the other device from there: the main window stays.
      guard let window, window != main, windows[window] != nil else { return }
      main = window
      choice = nil
      order.removeAll { $0 == window }
      order.insert(window, at: 0)
    case .becameCurrent(let activity): choice = .activity(activity)
    case .resigned: choice = .nothing
    case .ended(let activity):
      if case .activity(let chosen)? = choice, chosen == activity { choice = nil }
    }
  }

  private mutating func set(_ responder: Responder, _ activity: Activity?) {
    defer { forgetOldSettings() }
    guard let activity else {
      properties[responder] = nil
      return
    }
    settingCount &+= 1
    properties[responder] = (activity, settingCount)
    settings.append(Setting(responder: responder, number: settingCount))
    // Without a main window this is what the focus is otherwise: the user's last step.
    switch choice {
    case .activity where main != nil: break
    case .activity, .nothing, nil: choice = nil
    }
  }

  /// Keeps the last setting one that counts, and the list within what it is for.
  private mutating func forgetOldSettings() {
    while let last = settings.last, !counts(last) { settings.removeLast() }
    if settings.count > 16 &+ 2 &* properties.count { settings = settings.filter { counts($0) } }
  }

  private func counts(_ setting: Setting) -> Bool { properties[setting.responder]?.setting == setting.number }
}

/// Why a responder cannot be put after another.
public enum ChainError: Error, Equatable, Sendable {
  case loop
  case tooLong
}

extension FocusMachine {
  /// The window that an activity with a target content identifier goes to (semantics V9): the first that prefers it,
  /// otherwise the first that accepts it. The main window is asked first, then the former main windows. Nil: the
  /// application needs a new window.
  public static func choose<Candidate>(
    among windows: [Candidate], prefers: (Candidate) -> Bool, accepts: (Candidate) -> Bool
  ) -> Candidate? {
    windows.first { prefers($0) } ?? windows.first { accepts($0) }
  }
}
