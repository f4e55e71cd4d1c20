import Foundation
import Testing

@testable import Segue

@MainActor
final class ActivityTests {
  private let application: Application
  private let activity: UserActivity

  init() throws {
    application = try newApplication()
    activity = try UserActivity(type: type, in: application)
  }

  @Test func attributesAreKept() throws {
    activity.title = "A title"
    activity.webpageURL = URL(string: "https://example.org/a?b")
    activity.referrerURL = URL(string: "https://example.org/")
    activity.targetContentIdentifier = "message-5"
    activity.persistentIdentifier = "note-7"
    activity.keywords = ["one", "two"]
    activity.requiredUserInfoKeys = []
    activity.expirationDate = Date(timeIntervalSince1970: 4_000_000_000)
    activity.isEligibleForSearch = true
    activity.isEligibleForHandoff = false
    activity.allowsSnapshot = true
    activity.supportsContinuationStreams = true
    activity.allowsFiles = true
    #expect(activity.type == type && activity.title == "A title")
    #expect(activity.webpageURL?.absoluteString == "https://example.org/a?b")
    #expect(activity.referrerURL?.absoluteString == "https://example.org/")
    #expect(activity.targetContentIdentifier == "message-5" && activity.persistentIdentifier == "note-7")
    #expect(activity.keywords == ["one", "two"] && activity.requiredUserInfoKeys == [])
    #expect(activity.expirationDate == Date(timeIntervalSince1970: 4_000_000_000))
    #expect(activity.isEligibleForSearch && !activity.isEligibleForHandoff && activity.allowsSnapshot)
    #expect(activity.supportsContinuationStreams && activity.allowsFiles)
    activity.title = nil
    activity.requiredUserInfoKeys = nil
    activity.expirationDate = nil
    #expect(activity.title == nil && activity.requiredUserInfoKeys == nil && activity.expirationDate == nil)
  }

  @Test func whatIsRefusedChangesNothingAndIsSaid() throws {
    var lines: [String] = []
    application.onLog = { lines.append($0) }
    activity.title = "kept"
    activity.title = String(repeating: "x", count: 600)
    activity.webpageURL = URL(string: "gopher://example.org/")
    #expect(activity.title == "kept" && activity.webpageURL == nil)
    #expect(lines.count == 2 && lines[0].contains("title of an activity of type \(type)"))
    #expect(throws: SegueError.self) { try activity.set(\.title, to: "a\u{0}b") }
    try activity.set(\.title, to: "other")
    #expect(activity.title == "other")
    #expect(throws: SegueError.self) { try UserActivity(type: "no type", in: application) }
  }

  @Test func oneIsCurrent() throws {
    try activity.becomeCurrent()
    #expect(activity.isCurrent && application.currentActivity === activity)
    #expect(try application.explainCurrent().contains("becom") || !application.explainCurrent().isEmpty)
    activity.invalidate()
    activity.invalidate()
    #expect(activity.isInvalid && application.currentActivity == nil)
    #expect(throws: SegueError.self) { try activity.becomeCurrent() }
  }

  @Test func aCopyIsTheSameObject() throws {
    try activity.becomeCurrent()
    #expect(application.currentActivity === activity && application.currentActivity == activity)
    #expect(try UserActivity(type: type, in: application) != activity)
  }

  @Test func respondersHoldAndReplaceActivities() throws {
    let one = Part()
    let other = Part()
    one.userActivity = activity
    #expect(one.userActivity === activity && activity.isCurrent)
    other.userActivity = activity
    let second = try UserActivity(type: type, in: application)
    one.userActivity = second
    #expect(!activity.isInvalid)
    other.userActivity = second
    // The first one has no responder any more.
    #expect(activity.isInvalid && second.isCurrent)
    try one.setNextResponder(other, in: application)
    #expect(throws: SegueError.self) { try other.setNextResponder(one, in: application) }
    #expect(throws: SegueError.self) { try one.setUserActivity(activity) }
    try application.dispatch()
    #expect(one.changes.last??.id == second.id)
  }

  @Test func anApplicationThatIsClosedRefuses() throws {
    try activity.becomeCurrent()
    application.close()
    application.close()
    #expect(application.state == .lost && application.currentActivity == nil && application.offers.isEmpty)
    #expect(throws: SegueError.self) { try activity.becomeCurrent() }
    #expect(throws: SegueError.self) { try application.ready() }
    #expect(throws: SegueError.self) { try UserActivity(type: type, in: application) }
    activity.title = "x"
    activity.invalidate()
  }

  @Test func anActivityMayOutliveEverythingElse() async throws {
    weak var released: Application?
    var kept: UserActivity?
    do {
      let application = try newApplication("org.segue.test.SwiftOutlived")
      released = application
      kept = try UserActivity(type: type, in: application)
      kept?.onWillSave = { _ in }
    }
    // It keeps its application, and the last reference may be dropped by a task on any thread.
    #expect(released != nil)
    let last = try #require(kept)
    kept = nil
    await Task.detached { _ = last.type }.value
  }

  @Test func askingForWhatIsNotThereThrows() async throws {
    await #expect(throws: SegueError.self) { try await self.activity.continuationStreams() }
    await #expect(throws: SegueError.self) {
      try await self.activity.bringFile(URL(fileURLWithPath: "/nowhere"))
    }
  }

  @Test func malformedIDsAreRefused() {
    #expect(throws: SegueError.self) { try Application(id: "no id") }
    #expect(throws: SegueError.self) { try Application(id: "org.example\u{0}.A") }
  }

  @Test func stateIsTold() async throws {
    try application.start()
    #expect([.registering, .lost].contains(application.state))
    await withCheckedContinuation { continuation in
      var waiting: CheckedContinuation<Void, Never>? = continuation
      application.onStateChange = { state, error in
        guard state == .lost, error != nil else { return }
        waiting?.resume()
        waiting = nil
      }
    }
  }
}

@MainActor
private final class Part: Responder {
  let responderState = ResponderState()
  var changes: [UserActivity?] = []

  func updateUserActivityState(_ activity: UserActivity) {}
  func restoreUserActivityState(_ activity: UserActivity) {}
  func userActivityDidChange(_ activity: UserActivity?) { changes.append(activity) }
}
