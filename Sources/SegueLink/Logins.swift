import SegueCore

/// How often one peer may log in: some times at once, then once per `Limits.loginInterval`. Each login costs a
/// handshake and a descriptor, and a device needs one link. Times in milliseconds of a steady clock.
struct Logins {
  private var free: UInt64
  private var since: UInt64

  init(now: UInt64) {
    free = Limits.loginBurst
    since = now
  }

  /// Whether one more is admitted.
  mutating func admit(_ now: UInt64) -> Bool {
    let earned = (now - min(since, now)) / Limits.loginInterval
    since += earned * Limits.loginInterval
    free = min(free + earned, Limits.loginBurst)
    guard free > 0 else { return false }
    if free == Limits.loginBurst { since = now }
    free -= 1
    return true
  }
}
