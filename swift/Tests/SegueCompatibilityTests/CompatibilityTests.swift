import Foundation
import Segue
import SegueCompatibility
import Testing

@MainActor
@Suite(.serialized)
struct CompatibilityTests {
  init() throws {
    if NSApplication.shared.segue == nil {
      try NSApplication.shared.register(id: "org.segue.test.Cocoa", busAddress: "unix:path=/nonexistent")
    }
  }

  @Test func foundationsValuesGoThroughUserInfo() throws {
    let activity = NSUserActivity(activityType: "org.segue.test.cocoa")
    let date = Date(timeIntervalSince1970: 5)
    let url = URL(string: "https://example.org/")!
    activity.userInfo = [
      "text": "a", "number": 3, "half": 0.5, "yes": true, "date": date, "url": url, "list": [1, "two"], 7: "seven",
      "map": ["inner": NSNull()],
    ]
    let read = try #require(activity.userInfo)
    #expect(read["text"] as? String == "a" && read["number"] as? Int == 3 && read["half"] as? Double == 0.5)
    #expect(read["yes"] as? Bool == true && read["date"] as? Date == date && read["url"] as? URL == url)
    #expect(read[7] as? String == "seven" && (read["list"] as? [Any])?.count == 2)
    #expect(((read["map"] as? [AnyHashable: Any])?["inner"]) is NSNull)
    activity.addUserInfoEntries(from: ["text": "b"])
    #expect(activity.userInfo?["text"] as? String == "b" && activity.userInfo?.count == 9)
  }

  @Test func foundationsNumbersKeepTheirKind() throws {
    let activity = NSUserActivity(activityType: "org.segue.test.cocoa")
    activity.userInfo = ["one": NSNumber(value: 1), "half": NSNumber(value: 0.5), "yes": NSNumber(value: true)]
    let entries = try #require(activity.segue).userInfo
    #expect(entries == ["one": 1, "half": 0.5, "yes": true])
  }

  @Test func aChainMayBeOlderThanItsActivity() throws {
    let one = NSResponder()
    let other = NSResponder()
    one.nextResponder = other
    other.nextResponder = one
    let activity = NSUserActivity(activityType: "org.segue.test.cocoa")
    other.userActivity = activity
    #expect(activity.segue?.isCurrent == true)
    activity.invalidate()
  }

  @Test func whatCannotTravelChangesNothing() throws {
    final class Odd {}
    let activity = NSUserActivity(activityType: "org.segue.test.cocoa")
    activity.userInfo = ["kept": 1]
    activity.userInfo = ["odd": Odd()]
    activity.userInfo = ["large": UInt64.max]
    #expect(activity.userInfo?.count == 1)
    let none = NSUserActivity(activityType: "no type")
    none.becomeCurrent()
    none.title = "x"
    #expect(none.segue == nil && none.title == nil && none.userInfo == nil)
  }

  @Test func respondersHaveActivities() throws {
    let one = NSResponder()
    let other = NSResponder()
    one.nextResponder = other
    let activity = NSUserActivity(activityType: "org.segue.test.cocoa")
    one.userActivity = activity
    #expect(activity.segue?.isCurrent == true && one.userActivity === activity)
    one.userActivity = nil
    #expect(activity.segue?.isInvalid == true)
  }

  @Test func errorsHaveFoundationsCodes() {
    #expect(CocoaError.Code.userActivityHandoffFailed.rawValue == 4608)
    #expect(CocoaError.Code.userActivityConnectionUnavailable.rawValue == 4609)
    #expect(CocoaError.Code.userActivityRemoteApplicationTimedOut.rawValue == 4610)
    #expect(CocoaError.Code.userActivityHandoffUserInfoTooLarge.rawValue == 4611)
    #expect(NSUserActivityTypeBrowsingWeb == "org.segue.BrowsingWeb")
    #expect(NSUserActivityDocumentURLKey == "SegueDocumentURL")
  }
}
