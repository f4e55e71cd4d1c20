import SegueCore

/// The wait before a retry: twice as long each time, and short again only once the connection has held for a while. So
/// a session that accepts each connection and breaks it at once is not asked without end. Pure.
struct Backoff {
  private var attempts: UInt64 = 0
  /// Since when it holds.
  private var start: Instant?

  /// It has come about.
  mutating func succeeded(at now: Instant) { start = start ?? now }

  /// It was tried in vain, or has ended. Milliseconds until it is to be tried again.
  mutating func failed(at now: Instant) -> UInt64 {
    if let start, now.time(since: start) >= Limits.shellHeldTime { attempts = 0 }
    start = nil
    let time = min(Limits.reconnectTime, Limits.reconnectTimeFirst &<< min(attempts, 10))
    attempts &+= 1
    return time
  }
}
