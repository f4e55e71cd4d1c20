import CLinux
import SegueCore

extension Instant {
  /// The one place at which the clock is read. The timers of an `EventLoop` go by the same one.
  public static var now: Instant {
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    return Instant(
      milliseconds: UInt64(truncatingIfNeeded: now.tv_sec) &* 1000 &+ UInt64(truncatingIfNeeded: now.tv_nsec)
        / 1_000_000)
  }
}

/// Microseconds of the monotonic clock, for measuring how long work took: a machine that sleeps does none. Nothing
/// expires by it.
public func monotonicMicroseconds() -> UInt64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return UInt64(truncatingIfNeeded: now.tv_sec) &* 1_000_000 &+ UInt64(truncatingIfNeeded: now.tv_nsec) / 1000
}
