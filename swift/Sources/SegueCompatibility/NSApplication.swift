#if !canImport(Darwin)
  import Foundation
  import Segue

  /// The application, as AppKit names it, as far as activities go.
  ///
  ///     NSApplication.shared.delegate = delegate
  ///     try NSApplication.shared.register(id: "com.example.Reader")
  ///     try NSApplication.shared.run()
  @MainActor
  open class NSApplication: NSResponder {
    /// The process's application.
    public static let shared = NSApplication()
    /// Told of continuations; not kept alive.
    public weak var delegate: (any NSApplicationDelegate)?
    /// The scenes' delegate, as UIKit has it since iOS 26; it comes before `delegate`. Not kept alive.
    public weak var sceneDelegate: (any UISceneDelegate)?
    /// The application of Segue, once it is registered.
    public private(set) var segue: Application?
    private var scene: UIScene { .only }

    private nonisolated override init() { super.init() }

    /// Makes the application of Segue and says that it is set up. There the system does it, by the bundle's identifier.
    /// - Parameters:
    ///   - id: the id of the desktop file, without ".desktop".
    ///   - busAddress: the session bus's; nil for the user's.
    public func register(id: String, busAddress: String? = nil) throws {
      let made = try Application(id: id, busAddress: busAddress)
      made.onWillContinue = { [unowned self] in willContinue($0) }
      made.onContinue = { [unowned self] in continueActivity($0, $1) }
      made.onFail = { [unowned self] in didFail($0, $1) }
      made.onUpdate = { [unowned self] in didUpdate(NSUserActivity.of($0)) }
      segue = made
      try made.ready()
    }

    /// Runs the main run loop until `terminate`.
    public func run() throws { try segue?.run() }
    /// Makes `run` return.
    open func terminate(_ sender: Any?) { segue?.quit() }

    func make(_ type: String) -> UserActivity? {
      guard let segue else {
        log("An activity of type \(type) was made before NSApplication.shared.register; it is never offered.")
        return nil
      }
      do {
        return try UserActivity(type: type, in: segue)
      } catch {
        log("No activity of type \(type): \(error)")
        return nil
      }
    }

    func log(_ line: String) { FileHandle.standardError.write(Data("segue: \(line)\n".utf8)) }

    private func willContinue(_ continuation: Continuation) -> Bool {
      if let sceneDelegate {
        sceneDelegate.scene(scene, willContinueUserActivityWithType: continuation.activityType)
        return false
      }
      return delegate?.application(self, willContinueUserActivityWithType: continuation.activityType) ?? false
    }

    private func continueActivity(_ activity: UserActivity, _ restoration: Restoration) -> Bool {
      let arrived = NSUserActivity.of(activity)
      if let sceneDelegate {
        sceneDelegate.scene(scene, continue: arrived)
        return true
      }
      return delegate?.application(self, continue: arrived) { [unowned self] objects in
        do {
          try restoration.restore(
            objects.map { object in (object as? NSResponder)?.restorable ?? RestoringBridge(object) })
        } catch {
          log("The restoration handler: \(error)")
        }
      } ?? false
    }

    private func didFail(_ continuation: Continuation, _ error: any Error) {
      if let sceneDelegate {
        return sceneDelegate.scene(
          scene, didFailToContinueUserActivityWithType: continuation.activityType, error: error)
      }
      delegate?.application(
        self, didFailToContinueUserActivityWithType: continuation.activityType, error: error)
    }

    private func didUpdate(_ activity: NSUserActivity) {
      if let sceneDelegate { return sceneDelegate.scene(scene, didUpdate: activity) }
      delegate?.application(self, didUpdate: activity)
    }
  }
  /// UIKit's name for the same.
  public typealias UIApplication = NSApplication

  /// The delegate of the application, as AppKit has it; UIKit's had the same functions until it had scenes.
  @MainActor
  public protocol NSApplicationDelegate: AnyObject {
    /// The user has chosen to continue an activity here. Returns whether the delegate shows that itself.
    func application(_ application: NSApplication, willContinueUserActivityWithType userActivityType: String) -> Bool
    /// The activity is here: hand the objects that restore it to the handler, now or later.
    func application(
      _ application: NSApplication, continue userActivity: NSUserActivity,
      restorationHandler: @escaping @MainActor ([any NSUserActivityRestoring]) -> Void
    ) -> Bool
    /// It will not come. The code is `CocoaError.userCancelled` where the user chose something else.
    func application(
      _ application: NSApplication, didFailToContinueUserActivityWithType userActivityType: String, error: any Error)
    /// The responders have updated it.
    func application(_ application: NSApplication, didUpdate userActivity: NSUserActivity)
  }
  /// UIKit's name for the same.
  public typealias UIApplicationDelegate = NSApplicationDelegate

  extension NSApplicationDelegate {
    public func application(
      _ application: NSApplication, willContinueUserActivityWithType userActivityType: String
    ) -> Bool { false }
    public func application(
      _ application: NSApplication, continue userActivity: NSUserActivity,
      restorationHandler: @escaping @MainActor ([any NSUserActivityRestoring]) -> Void
    ) -> Bool { false }
    public func application(
      _ application: NSApplication, didFailToContinueUserActivityWithType userActivityType: String, error: any Error
    ) {}
    public func application(_ application: NSApplication, didUpdate userActivity: NSUserActivity) {}
  }

  /// A scene, as far as activities go. There is one.
  @MainActor
  open class UIScene: NSResponder {
    /// The application's scene.
    public static let only = UIScene()
    nonisolated override init() { super.init() }
  }

  /// The delegate of a scene.
  @MainActor
  public protocol UISceneDelegate: AnyObject {
    /// The user has chosen to continue an activity here; its state is on the way.
    func scene(_ scene: UIScene, willContinueUserActivityWithType userActivityType: String)
    /// The activity is here: restore its state.
    func scene(_ scene: UIScene, continue userActivity: NSUserActivity)
    /// It will not come. The code is `CocoaError.userCancelled` where the user chose something else.
    func scene(
      _ scene: UIScene, didFailToContinueUserActivityWithType userActivityType: String, error: any Error)
    /// The responders have updated it.
    func scene(_ scene: UIScene, didUpdate userActivity: NSUserActivity)
    /// The activity from which the scene's state is restored in the next run (`NSApplication.storeSceneState`).
    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity?
  }
  /// A window's scene is the only kind.
  public typealias UIWindowSceneDelegate = UISceneDelegate

  extension UISceneDelegate {
    /// Does nothing.
    public func scene(_ scene: UIScene, willContinueUserActivityWithType userActivityType: String) {}
    /// Does nothing: the activity is not restored.
    public func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {}
    /// Does nothing.
    public func scene(
      _ scene: UIScene, didFailToContinueUserActivityWithType userActivityType: String, error: any Error
    ) {}
    /// Does nothing.
    public func scene(_ scene: UIScene, didUpdate userActivity: NSUserActivity) {}
    public func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? { nil }
  }
#endif
