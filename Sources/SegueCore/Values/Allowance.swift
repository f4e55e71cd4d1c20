/// How much may come or go: so much at once, and later so much with time. Where things are counted, that is a burst of
/// them, then one each interval; where bytes are, so many, then so many each millisecond.
///
/// Time that makes up for a part of a thing counts for the next one, and a pause earns what may come at once, no more.
/// The moments are of whichever clock the owner goes by; one that goes back earns nothing.
public struct Allowance: Sendable {
  private let atOnce: UInt64
  private let perMillisecond: UInt64
  /// The amount that one counts for: a byte for 1, a thing for the milliseconds that make up for it.
  private let each: UInt64
  /// The amount that was taken, less what the time since then has made up for.
  private var ahead: UInt64 = 0
  private var last: Instant = 0

  /// For things.
  public init(burst: UInt64, interval: UInt64) {
    (atOnce, perMillisecond, each) = (burst &* interval, 1, interval)
  }

  /// For bytes. `perMillisecond` is 1 or more.
  public init(atOnce: Int, perMillisecond: Int) {
    (self.atOnce, self.perMillisecond, each) = (UInt64(clamping: atOnce), UInt64(clamping: max(1, perMillisecond)), 1)
  }

  /// So much more has come. Returns for how many milliseconds that was too early; 0: it was not.
  public mutating func take(_ count: Int = 1, at now: Instant) -> UInt64 {
    pass(now)
    ahead = sum(count)
    return time(for: ahead)
  }

  /// Admits one more, unless it is too early. Returns for how many milliseconds; 0: it was admitted.
  public mutating func admit(at now: Instant) -> UInt64 {
    pass(now)
    let wait = time(for: sum(1))
    if wait == 0 { ahead = sum(1) }
    return wait
  }

  private mutating func pass(_ now: Instant) {
    let passed = now.time(since: last)
    last = max(last, now)
    ahead &-= passed > ahead / perMillisecond ? ahead : passed &* perMillisecond
  }

  private func sum(_ count: Int) -> UInt64 {
    let (sum, isTooMuch) = ahead.addingReportingOverflow(UInt64(clamping: count) &* each)
    return isTooMuch ? .max : sum
  }

  /// How long it takes until no more than may be ahead is.
  private func time(for ahead: UInt64) -> UInt64 {
    ahead > atOnce ? (ahead &- atOnce &- 1) / perMillisecond &+ 1 : 0
  }
}
