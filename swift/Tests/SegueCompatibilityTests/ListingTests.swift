import Foundation
import SegueCompatibility
import Testing

// Listings.swift within one process; Tests/system/swift_test.py runs it between two devices.

extension CompatibilityTests {
  @MainActor
  @Suite
  struct Listings {
    init() throws { _ = try CompatibilityTests() }

    @Test func anActivityWithADelegateIsCurrent() throws {
      let controller = DocumentController()
      controller.begin()
      let activity = try #require(controller.activity)
      #expect(activity.segue?.isCurrent == true && activity.delegate === controller)
      #expect(activity.title == "Browsing" && activity.supportsContinuationStreams)
      activity.invalidate()
    }

    @Test func aListFollowsItsUser() throws {
      let controller = ListController()
      controller.show("inbox")
      let inbox = try #require(controller.userActivity)
      controller.show("inbox")
      #expect(controller.userActivity === inbox)
      controller.show("sent")
      let sent = try #require(controller.userActivity)
      #expect(sent !== inbox && inbox.segue?.isInvalid == true && sent.segue?.isCurrent == true)
      #expect(sent.webpageURL?.absoluteString == "https://mail.example.com/sent")
    }

    @Test func itsStateGoesOutAndIn() throws {
      let (one, other) = (ListController(), ListController())
      one.show("drafts")
      one.position = 0.5
      let activity = try #require(one.userActivity)
      one.updateUserActivityState(activity)
      #expect(activity.title == "Reading drafts")
      other.restoreUserActivityState(activity)
      #expect(other.list == "drafts" && other.position == 0.5)
    }

    @Test func delegatesAreAsThere() {
      let delegate = Delegate()
      let scene = SceneDelegate()
      NSApplication.shared.delegate = delegate
      NSApplication.shared.sceneDelegate = scene
      #expect(delegate.application(.shared, willContinueUserActivityWithType: listing))
      #expect(NSApplication.shared.delegate === delegate && scene.stateRestorationActivity(for: UIScene.only) == nil)
      NSApplication.shared.delegate = nil
      NSApplication.shared.sceneDelegate = nil
    }

    @Test func streamsWithoutAnOriginAreAnError() async throws {
      let activity = NSUserActivity(activityType: browsing)
      let error = await withCheckedContinuation { continuation in
        activity.getContinuationStreams { input, _, error in
          #expect(input == nil)
          continuation.resume(returning: error)
        }
      }
      #expect(error != nil)
    }
  }
}
