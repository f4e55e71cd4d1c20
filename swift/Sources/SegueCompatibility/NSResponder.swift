#if !canImport(Darwin)
  import Foundation
  import Segue

  /// An object that restores its part of an activity's state.
  @MainActor
  public protocol NSUserActivityRestoring: AnyObject {
    /// Restore your part from the activity's userInfo. Keys may be missing: another version may have written it.
    func restoreUserActivityState(_ userActivity: NSUserActivity)
  }
  /// UIKit's name for the same.
  public typealias UIUserActivityRestoring = NSUserActivityRestoring

  /// A responder: a view, a controller, a window. Subclasses override the two functions, as on Apple's systems.
  @MainActor
  open class NSResponder: NSUserActivityRestoring {
    private lazy var bridge = ResponderBridge(self)
    /// The object that restores in the place of this one.
    var restorable: any RestorableObject { bridge }
    /// The next object of the chain; not kept alive.
    public weak var nextResponder: NSResponder? { didSet { bridge.link(nextResponder?.bridge) } }

    /// A responder without an activity.
    public nonisolated init() {}

    /// The activity that this responder has a part in; it becomes current. It is kept alive.
    open var userActivity: NSUserActivity? {
      didSet {
        guard userActivity !== oldValue else { return }
        bridge.userActivity = userActivity?.segue
        // The chain may be older than the application.
        if let nextResponder { bridge.link(nextResponder.bridge) }
      }
    }

    /// Add your part of the state to the activity's userInfo. This class adds nothing.
    open func updateUserActivityState(_ userActivity: NSUserActivity) {}
    /// Restore your part from the activity's userInfo. This class restores nothing.
    open func restoreUserActivityState(_ userActivity: NSUserActivity) {}
  }
  /// UIKit's name for the same.
  public typealias UIResponder = NSResponder

  /// Segue's responder for one of Apple's.
  @MainActor
  final class ResponderBridge: Responder {
    let responderState = ResponderState()
    private weak var owner: NSResponder?

    init(_ owner: NSResponder) { self.owner = owner }

    func updateUserActivityState(_ activity: UserActivity) {
      owner?.updateUserActivityState(NSUserActivity.of(activity))
    }
    func restoreUserActivityState(_ activity: UserActivity) {
      owner?.restoreUserActivityState(NSUserActivity.of(activity))
    }

    func link(_ next: ResponderBridge?) {
      guard let application = NSApplication.shared.segue else { return }
      do {
        try setNextResponder(next, in: application)
      } catch {
        NSApplication.shared.log("nextResponder of \(owner.map { "\(type(of: $0))" } ?? "a responder"): \(error)")
      }
    }
  }

  /// Segue's object for one that only restores.
  @MainActor
  final class RestoringBridge: RestorableObject {
    private let owner: any NSUserActivityRestoring

    init(_ owner: any NSUserActivityRestoring) { self.owner = owner }

    func updateUserActivityState(_ activity: UserActivity) {}
    func restoreUserActivityState(_ activity: UserActivity) {
      owner.restoreUserActivityState(NSUserActivity.of(activity))
    }
  }
#endif
