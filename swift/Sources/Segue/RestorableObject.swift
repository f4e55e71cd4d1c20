import CSegueLibrary

/// An object that owns a part of an activity's state: it writes that part when the state is asked for, and restores it on
/// the device that goes on.
@MainActor
public protocol RestorableObject: AnyObject {
  /// Add your part of the state to the activity's userInfo. An error that you throw goes to the log.
  func updateUserActivityState(_ activity: UserActivity) throws
  /// Restore your part from the activity's userInfo. Keys may be missing: another version may have written it.
  func restoreUserActivityState(_ activity: UserActivity) throws
}

/// A restorable object that has an activity of its own, or a part in one: a view, a controller, a model.
///
///     final class Outline: Responder {
///       let responderState = ResponderState()
///       …
///     }
///     outline.userActivity = activity   // its activity becomes current
@MainActor
public protocol Responder: RestorableObject {
  /// Segue's own state of the object: `let responderState = ResponderState()`.
  var responderState: ResponderState { get }
  /// The object's activity is another one, or there is none any more. Does nothing unless you write it.
  func userActivityDidChange(_ activity: UserActivity?)
}

extension Responder {
  public func userActivityDidChange(_ activity: UserActivity?) {}

  /// The activity that this object has a part in; it becomes current, unless the focus says otherwise. The former one is
  /// invalidated if this was its last responder. An activity that is invalid, or of a closed application, is not set:
  /// `setUserActivity` throws then.
  public var userActivity: UserActivity? {
    get { responderState.userActivity }
    set { try? setUserActivity(newValue) }
  }

  /// The same, with the reason where it fails.
  public func setUserActivity(_ activity: UserActivity?) throws {
    guard let application = activity?.application ?? responderState.application else { return }
    let responder = try responderState.responder(of: self, in: application)
    try check(segue_responder_set_user_activity(responder.pointer.raw, activity?.pointer.raw))
  }

  /// Puts a responder after this one in the chain: the view that contains it, for instance. It is not kept alive. Throws
  /// where it comes before this one, and past 256 in a row.
  public func setNextResponder(_ next: (any Responder)?, in application: Application) throws {
    let responder = try responderState.responder(of: self, in: application)
    let other = try next.map { try $0.responderState.responder(of: $0, in: application) }
    _ = try application.raw()
    try check(segue_responder_set_next_responder(responder.pointer.raw, other?.pointer.raw))
  }

  /// Writes this object's part into an activity now. The library does so when the state is asked for; this is for tests, and
  /// for a program that keeps the state elsewhere too.
  public func save(to activity: UserActivity) throws {
    let responder = try responderState.responder(of: self, in: activity.application)
    _ = try activity.application.raw()
    try check(segue_responder_update(responder.pointer.raw, activity.pointer.raw))
  }

  /// Restores this object's part from an activity now.
  public func restore(from activity: UserActivity) throws {
    let responder = try responderState.responder(of: self, in: activity.application)
    _ = try activity.application.raw()
    try check(segue_responder_restore(responder.pointer.raw, activity.pointer.raw))
  }

  /// Marks the activity as in need of saving. Call it at every change; it costs nothing.
  public func setNeedsSave() { userActivity?.needsSave = true }
}
