import SegueBus
import SegueCore

/// An object of the application that owns a part of an activity's state.
public final class Responder: Handle, @unchecked Sendable {
  public let application: Application
  let methods: ResponderMethods

  private let lock = Lock()
  private var property: Activity?

  public init(application: Application, methods: ResponderMethods) {
    self.application = application
    self.methods = methods
    super.init(kind: .responder)
  }

  public override func abandoned(_ retained: Unmanaged<Handle>) {
    application.afterwards(releasing: retained) { try? self.setUserActivity(nil) }
  }

  /// The activity that this responder has a part in. Any thread (semantics R9).
  public var userActivity: Activity? { lock.withLock { property } }

  /// Attaches to an activity, which becomes current, or detaches with nil. Any thread; on the application's thread it
  /// takes effect at once, from another one at the next dispatch.
  public func setUserActivity(_ activity: Activity?) throws(SegueError) {
    if let activity, activity.isInvalid { throw SegueError(.invalidated, "The activity was invalidated.") }
    let former = lock.withLock {
      defer { property = activity }
      return property
    }
    application.onItsThread { [self] in application.attach(self, from: former, to: activity) }
  }

  /// Runs the responder's own restore in this call.
  public func restore(from activity: Activity) { methods.restore?(self, activity) }

  /// Forgets an activity that was invalidated.
  func forget(_ activity: Activity) {
    lock.withLock { if property === activity { property = nil } }
  }
}
