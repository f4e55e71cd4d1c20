import SegueCore
import Testing

@Suite struct AllowanceTests {
  /// A call of an allowance at a moment, and for how many milliseconds that is too early.
  enum Step: Sendable {
    case take(Int, at: Instant, UInt64)
    case admit(at: Instant, UInt64)
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let allowance: Allowance
    let steps: [Step]

    init(_ name: String, _ allowance: Allowance, _ steps: [Step]) {
      (testDescription, self.allowance, self.steps) = (name, allowance, steps)
    }
  }

  private static func things(_ burst: UInt64, each interval: UInt64) -> Allowance {
    Allowance(burst: burst, interval: interval)
  }

  static let rows = [
    Row(
      "a burst at once and the others an interval apart", things(3, each: 100),
      [0, 0, 0, 100, 200, 300].map { .take(1, at: 5_000, $0) }),
    Row(
      "at the beginning of counting, too", things(2, each: 100),
      [.take(1, at: 0, 0), .take(1, at: 0, 0), .take(1, at: 0, 100)]),
    Row(
      "who keeps the pace never waits", things(1, each: 100),
      (1...50).map { .take(1, at: Instant(milliseconds: $0 * 100), 0) }),
    Row(
      "a pause earns the burst again and no more", things(2, each: 100),
      [0, 0, 100, 200].map { .take(1, at: 1_000, $0) } + [0, 0, 100].map { .take(1, at: 60_000, $0) }),
    Row(
      "a part of an interval is not lost", things(1, each: 100),
      [.admit(at: 1_000, 0), .admit(at: 1_150, 0), .admit(at: 1_199, 51), .admit(at: 1_250, 0)]),
    Row(
      "what is not admitted takes nothing", things(1, each: 100),
      [.admit(at: 1_000, 0)] + (1...99).map { .admit(at: Instant(milliseconds: 1_000 + $0), 100 - $0) }
        + [.admit(at: 1_100, 0)]),
    Row(
      "what is taken too early waits behind what was", things(1, each: 100),
      [.take(1, at: 1_000, 0), .take(1, at: 1_000, 100), .take(1, at: 1_050, 150), .admit(at: 1_200, 100)]),
    Row(
      "several at once", things(3, each: 100), [.take(2, at: 1_000, 0), .take(2, at: 1_000, 100)]),
    Row(
      "bytes: so many at once and in each millisecond", Allowance(atOnce: 1_000, perMillisecond: 64),
      [
        .take(1_000, at: 1_000, 0), .take(1, at: 1_000, 1), .take(63, at: 1_001, 0), .take(3 * 64 + 1, at: 1_001, 4),
        .take(0, at: 1_004, 1), .take(0, at: 1_005, 0),
      ]),
    Row(
      "bytes: none at once", Allowance(atOnce: 0, perMillisecond: 10),
      [.take(1, at: 0, 1), .take(10, at: 0, 2), .take(0, at: 1, 1), .take(0, at: 2, 0)]),
    Row(
      "a clock that goes back earns nothing", Allowance(atOnce: 10, perMillisecond: 1),
      [.take(10, at: 1_000, 0), .take(1, at: 1, 1), .take(0, at: 1_000, 1), .take(0, at: 1_001, 0)]),
    Row(
      "no count and no clock is too large", Allowance(atOnce: 10, perMillisecond: 1),
      [
        .take(.max, at: 0, UInt64(Int.max) - 10), .take(.max, at: 0, .max - 11), .take(.max, at: 0, .max - 10),
        .take(.min, at: 0, .max - 10), .take(10, at: .distantFuture, 0),
      ]),
  ]

  @Test(arguments: rows) func allowance(_ row: Row) {
    var allowance = row.allowance
    for (index, step) in row.steps.enumerated() {
      switch step {
      case .take(let count, let now, let wait): #expect(allowance.take(count, at: now) == wait, "step \(index)")
      case .admit(let now, let wait): #expect(allowance.admit(at: now) == wait, "step \(index)")
      }
    }
  }
}
