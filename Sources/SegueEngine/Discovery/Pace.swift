import SegueCore

/// How fast things may follow one another: a burst of them at once, then one each interval.
public struct Pace: Sendable {
  private let burst: UInt64
  private let interval: UInt64
  /// When the last one were due if each were an interval after the one before.
  private var last: Instant = 0

  public init(burst: UInt64, interval: UInt64) {
    self.burst = burst
    self.interval = interval
  }

  /// One more has come: when it is due, which is now unless there were too many.
  public mutating func due(at now: Instant) -> Instant {
    last = max(last, now) + interval
    return max(now, last - burst &* interval)
  }
}
