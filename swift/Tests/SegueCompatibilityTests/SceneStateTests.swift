import Foundation
import Segue
import SegueCompatibility
import Testing

/// The state of a scene, as UIKit restores it.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(1)))
struct SceneStateTests {
  private final class Delegate: UISceneDelegate {
    let activity = NSUserActivity(activityType: "org.segue.test.cocoa")
    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? { activity }
  }

  init() throws {
    if NSApplication.shared.segue == nil {
      try NSApplication.shared.register(id: "org.segue.test.Cocoa", busAddress: "unix:path=/nonexistent")
    }
  }

  @Test func theDelegatesActivityIsStored() throws {
    let delegate = Delegate()
    delegate.activity.isEligibleForHandoff = false
    NSApplication.shared.sceneDelegate = delegate
    defer { NSApplication.shared.sceneDelegate = nil }
    NSApplication.shared.segue?.currentActivity?.invalidate()
    #expect(!delegate.activity.isEligibleForRestoration)
    NSApplication.shared.storeSceneState()
    #expect(delegate.activity.isEligibleForRestoration && !delegate.activity.isEligibleForHandoff)
    #expect(delegate.activity.segue?.isCurrent == true)
    delegate.activity.invalidate()
  }

  @Test func withoutADaemonThereIsNone() async {
    let segue = NSApplication.shared.segue
    // No main loop does it here.
    let loop = Task {
      while !Task.isCancelled {
        try segue?.dispatch()
        await Task.yield()
      }
    }
    defer { loop.cancel() }
    #expect(await NSApplication.shared.restoreSceneState() == nil)
    #expect(UIScene.only.session.stateRestorationActivity == nil)
  }
}
