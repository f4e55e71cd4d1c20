import Foundation
import Testing

@testable import Segue

/// The states of an earlier run, where no daemon has any.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct LastStateTests {
  @Test func theFlagIsKeptAndOnlyARestoredActivityHasAnAge() throws {
    let activity = try UserActivity(type: type, in: try newApplication())
    #expect(!activity.isEligibleForRestoration)
    activity.isEligibleForRestoration = true
    #expect(activity.isEligibleForRestoration)
    #expect(activity.restoredAge == nil && activity.restoredVersion == nil)
  }

  @Test func withoutABusTheAnswerIsAnError() async throws {
    let application = try newApplication()
    let error = await #expect(throws: CocoaError.self) {
      try await dispatching(application) { try await application.lastState(type, target: "window") }
    }
    #expect(error?.code == .userActivityConnectionUnavailable)
    await #expect(throws: SegueError.self) { try await application.lastStates("page") }
    await #expect(throws: SegueError.self) { try await application.lastStates(maximum: 0) }
  }
}
