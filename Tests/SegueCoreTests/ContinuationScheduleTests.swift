import SegueCore
import SegueSimulator
import Testing

/// The machines of one continuation together, in random schedules of virtual time.
@Suite struct ContinuationScheduleTests {
  private static let schedules: UInt64 = 20_000

  @Test func V1_V11_V18_S9_holdInEverySchedule() {
    var outcomes: [SegueError.Code?: Int] = [:]
    for seed in 0..<Self.schedules {
      let world = VirtualContinuation(seed: seed)
      world.run()
      outcomes[world.outcome?.code, default: 0] += 1
      guard world.problems.isEmpty else {
        let again = VirtualContinuation(seed: seed, isTraced: true)
        again.run()
        Issue.record("seed \(seed): \(world.problems)\n\(again.trace.joined(separator: "\n"))")
        return
      }
    }
    // The schedules go where they should: no outcome is unheard of.
    let expected: [SegueError.Code?] = [
      nil, .handoffFailed, .connectionUnavailable, .remoteApplicationTimedOut, .handoffUserInfoTooLarge, .userCancelled,
      .launchFailed, .launchTimedOut, .applicationExited, .notHandled,
    ]
    for code in expected { #expect(outcomes[code, default: 0] > 20, "\(code?.name ?? "success"): \(outcomes)") }
  }
}
