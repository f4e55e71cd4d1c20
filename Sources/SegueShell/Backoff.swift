import SegueCore

/// The wait before a retry: twice as long each time, and short again only once the connection has held for a while. So
/// a session that accepts each connection and breaks it at once is not asked without end. Pure.
struct Backoff {
  private var attempts: UInt64 = 0
  /// The time since which the connection holds.
  private var start: Instant?

  /// The connection has succeeded.
  mutating func succeeded(at now: Instant) { start = start ?? now }

  /// The connection has failed or ended. Returns the milliseconds until the next try.
  mutating func failed(at now: Instant) -> UInt64 {
    if let start, now.time(since: start) >= Limits.shellHeldTime { attempts = 0 }
    start = nil
    let time = min(Limits.reconnectTime, Limits.reconnectTimeFirst &<< min(attempts, 10))
    attempts &+= 1
    return time
  }
}
