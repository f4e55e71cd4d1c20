import Foundation
import SegueCompatibility
import Testing

// The listings of Apple's guide to adopting Handoff, by their numbers, as an author has them: docs/from-nsuseractivity.md.

private let browsing = "com.example.browser.browsing"
private let listing = "com.example.mail.reading-list"

/// 2-2, 2-9: a controller makes an activity, is its delegate, and puts it on offer.
private final class DocumentController: NSResponder, NSUserActivityDelegate {
  private(set) var saves = 0
  private(set) var activity: NSUserActivity?

  func begin() {
    let activity = NSUserActivity(activityType: browsing)
    activity.title = "Browsing"
    activity.userInfo = ["page": 3]
    activity.supportsContinuationStreams = true
    activity.delegate = self
    activity.becomeCurrent()
    self.activity = activity
  }

  func userActivityWillSave(_ userActivity: NSUserActivity) { saves += 1 }

  // 2-10: the origin answers over the streams that it is given.
  func userActivity(
    _ userActivity: NSUserActivity, didReceive inputStream: InputStream, outputStream: OutputStream
  ) {
    inputStream.open()
    outputStream.open()
  }
}

/// 2-3, 2-4, 2-5: a list that follows its user.
private final class ListController: NSResponder {
  var list = "inbox"
  var position = 0.0

  func show(_ name: String) {
    list = name
    if let current = userActivity, current.userInfo?["list"] as? String == name { return }
    userActivity?.invalidate()
    let activity = NSUserActivity(activityType: listing)
    activity.title = name
    activity.addUserInfoEntries(from: ["list": name])
    activity.webpageURL = URL(string: "https://mail.example.com/\(name)")
    userActivity = activity
  }

  override func updateUserActivityState(_ userActivity: NSUserActivity) {
    super.updateUserActivityState(userActivity)
    userActivity.title = "Reading \(list)"
    userActivity.addUserInfoEntries(from: ["list": list, "position": position])
  }

  override func restoreUserActivityState(_ userActivity: NSUserActivity) {
    super.restoreUserActivityState(userActivity)
    list = userActivity.userInfo?["list"] as? String ?? list
    position = userActivity.userInfo?["position"] as? Double ?? position
  }
}

/// 2-6: the application's delegate continues an activity, and hands its window's controller to the restoration handler.
private final class Delegate: NSApplicationDelegate {
  let controller = ListController()
  private(set) var failures = 0

  func application(_ application: NSApplication, willContinueUserActivityWithType userActivityType: String) -> Bool {
    userActivityType == listing
  }

  func application(
    _ application: NSApplication, continue userActivity: NSUserActivity,
    restorationHandler: @escaping @MainActor ([any NSUserActivityRestoring]) -> Void
  ) -> Bool {
    guard userActivity.activityType == listing else { return false }
    restorationHandler([controller])
    // 2-10: the device that goes on asks for streams.
    if userActivity.supportsContinuationStreams {
      userActivity.getContinuationStreams { input, output, error in
        guard let input, let output, error == nil else { return }
        input.open()
        output.open()
      }
    }
    return true
  }

  func application(
    _ application: NSApplication, didFailToContinueUserActivityWithType userActivityType: String, error: any Error
  ) {
    if (error as? CocoaError)?.code != .userCancelled { failures += 1 }
  }
}

/// The scene's delegate, as UIKit has it.
private final class SceneDelegate: UIWindowSceneDelegate {
  private(set) var last: String?

  func scene(_ scene: UIScene, willContinueUserActivityWithType userActivityType: String) { last = userActivityType }
  func scene(_ scene: UIScene, continue userActivity: NSUserActivity) { last = userActivity.activityType }
  func scene(_ scene: UIScene, didFailToContinueUserActivityWithType userActivityType: String, error: any Error) {
    last = nil
  }
}

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
