#if !canImport(Darwin)
  import Foundation
  import Segue

  /// What is kept of a scene from one run of the application to the next.
  @MainActor
  public final class UISceneSession {
    static let only = UISceneSession()
    /// The scene's last state, once `NSApplication.restoreSceneState` has found one; nil for none.
    public var stateRestorationActivity: NSUserActivity?

    private init() {}
  }

  extension UIScene {
    /// The one session that there is, with the state of an earlier run.
    public var session: UISceneSession { .only }
  }

  extension NSUserActivity {
    /// Whether its state is stored for this application's next run; there the system decides that by
    /// `stateRestorationActivity(for:)`.
    public var isEligibleForRestoration: Bool {
      get { segue?.isEligibleForRestoration ?? false }
      set { segue?.isEligibleForRestoration = newValue }
    }
  }

  extension NSApplication {
    /// Asks the scene's delegate for its activity, and has the state of that stored from now on, while it is the current
    /// one, for the next run. Call it when the scene has something to come back to; there the system asks when the scene
    /// leaves the screen. Where no activity is current, this one becomes so; it need not be eligible for hand-off.
    public func storeSceneState() {
      guard let segue, let activity = sceneDelegate?.stateRestorationActivity(for: .only) else { return }
      activity.isEligibleForRestoration = true
      if segue.currentActivity == nil { activity.becomeCurrent() }
    }

    /// Asks for the state that an earlier run has stored, and puts it where the scene's delegate looks for it:
    /// `UIScene.session.stateRestorationActivity`. Call it after `register`, before the first window is made. Returns it;
    /// nil where there is none, or no daemon, and the log says which.
    /// - Parameter type: of the activity; nil: any.
    @discardableResult
    public func restoreSceneState(ofType type: String? = nil) async -> NSUserActivity? {
      do {
        let activity = try await segue?.lastState(type)
        UISceneSession.only.stateRestorationActivity = activity.map { NSUserActivity.of($0) }
      } catch {
        log("The scene's last state: \(error)")
      }
      return UISceneSession.only.stateRestorationActivity
    }
  }
#endif
