import SegueCore
import Testing

@testable import SegueShell

@Suite struct BackoffTests {
  @Test func whatBreaksAtOnceIsTriedLessAndLessOften() {
    var backoff = Backoff()
    var now: Instant = 1_000
    var times: [UInt64] = []
    for _ in 0..<8 {
      backoff.succeeded(at: now)
      // One millisecond less than what counts.
      now = now + (Limits.shellHeldTime - 1)
      times.append(backoff.failed(at: now))
    }
    #expect(times == [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000])
  }

  @Test func whatHeldIsTriedSoonAgain() {
    var backoff = Backoff()
    for _ in 0..<8 { _ = backoff.failed(at: 1_000) }
    backoff.succeeded(at: 2_000)
    // Said twice, it holds since the first time.
    backoff.succeeded(at: 2_000 + Limits.shellHeldTime)
    #expect(backoff.failed(at: 2_000 + Limits.shellHeldTime) == Limits.reconnectTimeFirst)
    // And that counts once.
    #expect(backoff.failed(at: 2_000 + 3 * Limits.shellHeldTime) == 2 * Limits.reconnectTimeFirst)
  }
}
