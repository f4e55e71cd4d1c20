import CSegueLibrary
import Foundation
import Glibc
import Testing

@testable import Segue

/// The traps that docs/swift.md names, as far as one process shows them; Tests/system/swift_test.py has those that need two
/// devices.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct TrapTests {
  /// One object of each kind, which alone keeps its application.
  nonisolated static let kinds: [@MainActor @Sendable (Application) throws -> AnyObject] = [
    { try UserActivity(type: type, in: $0) },
    { try Document(nil, mimeType: "text/plain", in: $0) },
    { try Window(in: $0) },
    { application in
      let view = EmptyView()
      view.userActivity = try UserActivity(type: type, in: application)
      return view
    },
    { application in
      let activity = try UserActivity(type: type, in: application)
      activity.onWillSave = { _ in }
      activity.userInfo["line"] = 1
      try activity.becomeCurrent()
      return activity
    },
    { $0 },
  ]

  @Test(arguments: kinds.indices)
  func theLastReferenceIsDroppedOnAnotherThread(_ kind: Int) async throws {
    let kept = Kept(try Self.kinds[kind](try newApplication("org.segue.test.SwiftDropped\(kind)")))
    await onThread(kept)
    // What the main actor takes down is gone when it has had its turn.
    while kept.isAlive { await Task.yield() }
  }

  /// A reference that is not checked: the last one of an object of the main actor's.
  private final class Kept: @unchecked Sendable {
    var object: AnyObject?
    private weak var last: AnyObject?
    var isAlive: Bool { last != nil }

    init(_ object: AnyObject) {
      self.object = object
      last = object
    }
  }

  private func onThread(_ kept: Kept) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        #expect(!Thread.isMainThread)
        kept.object = nil
        continuation.resume()
      }
    }
  }

  @Test func aTaskKeepsAnActivityBeyondItsApplication() async throws {
    let application = try newApplication("org.segue.test.SwiftBeyond")
    let activity = try UserActivity(type: type, in: application)
    activity.title = "before"
    let (turns, turn) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for await _ in turns {}
      activity.title = "after"
      activity.needsSave = true
      #expect(throws: SegueError.self) { try activity.becomeCurrent() }
      #expect(throws: SegueError.self) { try activity.setUserInfo(["line": 1]) }
      let error = await #expect(throws: SegueError.self) { try await activity.continuationStreams() }
      #expect(error?.code == .closed)
    }
    application.close()
    turn.finish()
    await task.value
  }

  @Test func aTaskThatWaitsEndsWithItsApplication() async throws {
    let application = try newApplication("org.segue.test.SwiftWaiting")
    let task = Task { try await application.deleteSavedActivities(["note"]) }
    await Task.yield()
    application.close()
    let error = await #expect(throws: (any Error).self) { try await task.value }
    #expect(error != nil)
  }

  /// A main actor that is blocked calls nobody back, and loses nothing: what came meanwhile comes after.
  @Test func whatCameWhileTheMainActorWasBlockedComesAfter() async throws {
    let application = try newApplication("org.segue.test.SwiftBlocked")
    try application.start()
    var states: [Application.State] = []
    application.onStateChange = { state, _ in states.append(state) }
    // The descriptor is readable, and the main actor looks elsewhere.
    var readable = pollfd(fd: try application.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&readable, 1, 10_000) == 1 && states.isEmpty)
    while !states.contains(.lost) { await Task.yield() }
  }
}

@MainActor
private final class EmptyView: Responder {
  let responderState = ResponderState()
  func updateUserActivityState(_ activity: UserActivity) { activity.userInfo["line"] = 2 }
  func restoreUserActivityState(_ activity: UserActivity) {}
}
