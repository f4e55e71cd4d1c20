import SegueCore
import Testing

@testable import SegueRuntime

@Suite struct DeletionsTests {
  private let offline: Offline
  private let deletions: Deletions
  private let outcomes = Outcomes()

  init() throws {
    offline = try Offline()
    deletions = offline.application.deletions
  }

  @Test func C13_whatWaitsForTheDaemonEndsWithTheApplication() throws {
    try deletions.begin(["a"], outcomes.note)
    try deletions.begin(nil, outcomes.note)
    // An empty list needs no call to the daemon.
    try deletions.begin([], outcomes.note)
    offline.dispatch()
    #expect(outcomes.codes == ["well"])
    offline.application.close()
    #expect(outcomes.codes == ["well", "ConnectionUnavailable", "ConnectionUnavailable"])
  }

  @Test func C13_asManyAsAreAllowed() throws {
    for ids in [Array(repeating: "a", count: Limits.deletedIdentifiers + 1), [String(repeating: "a", count: 513)]] {
      #expect(throws: SegueError.self) { try deletions.begin(ids, outcomes.note) }
    }
    let most = (0..<Limits.deletedIdentifiers).map { String(repeating: "a", count: Limits.identifierLength - $0) }
    try deletions.begin(most, outcomes.note)
    for _ in 1..<Limits.pendingCalls { try deletions.begin(["a"], outcomes.note) }
    #expect(throws: SegueError.self) { try deletions.begin(["a"], outcomes.note) }
    offline.application.close()
    #expect(outcomes.codes.count == Limits.pendingCalls)
  }

  /// A completion may ask for the next, and close the application.
  @Test func C13_inACompletion() throws {
    let (deletions, outcomes, application) = (deletions, outcomes, offline.application)
    try deletions.begin([]) { _ in
      try? deletions.begin(["b"], outcomes.note)
      application.close()
    }
    offline.dispatch()
    #expect(outcomes.codes == ["ConnectionUnavailable"])
  }
}
