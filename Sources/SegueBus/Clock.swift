import CLinux
import SegueCore

extension Instant {
  /// The present moment. The clock is read at no other place; the timers of an `EventLoop` go by the same clock.
  public static var now: Instant {
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    return Instant(
      milliseconds: UInt64(truncatingIfNeeded: now.tv_sec) &* 1000 &+ UInt64(truncatingIfNeeded: now.tv_nsec)
        / 1_000_000)
  }
}

/// Microseconds of the monotonic clock, for measuring how long work took: a machine that sleeps does none. No deadline
/// goes by this clock.
public func monotonicMicroseconds() -> UInt64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return UInt64(truncatingIfNeeded: now.tv_sec) &* 1_000_000 &+ UInt64(truncatingIfNeeded: now.tv_nsec) / 1000
}
