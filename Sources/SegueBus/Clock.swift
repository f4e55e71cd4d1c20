import CLinux

/// Milliseconds of the monotonic clock; the same in every process of a machine.
public func monotonicMilliseconds() -> UInt64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return UInt64(truncatingIfNeeded: now.tv_sec) &* 1000 &+ UInt64(truncatingIfNeeded: now.tv_nsec) / 1_000_000
}

/// The same in microseconds, for what is measured.
public func monotonicMicroseconds() -> UInt64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return UInt64(truncatingIfNeeded: now.tv_sec) &* 1_000_000 &+ UInt64(truncatingIfNeeded: now.tv_nsec) / 1000
}
