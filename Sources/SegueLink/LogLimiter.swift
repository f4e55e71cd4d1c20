import Logging
import SegueCore

/// Log lines that a peer or a stranger can cause: at most `Limits.logLinesPerMinute` of one cause in a minute.
struct LogLimiter {
  /// What a line is about.
  enum Cause: CaseIterable {
    case stranger, handshake, violation, address, dial, peer, exhausted
  }

  private var counts: [Cause: (since: UInt64, lines: Int)] = [:]

  /// Whether a line may be written, and how many were not in the minute before. Time in milliseconds.
  mutating func admit(_ cause: Cause, now: UInt64) -> (write: Bool, missed: Int) {
    var entry = counts[cause] ?? (now, 0)
    var missed = 0
    if now >= entry.since + 60_000 {
      missed = max(0, entry.lines - Limits.logLinesPerMinute)
      entry = (now, 0)
    }
    entry.lines = min(entry.lines + 1, Int(Int32.max))
    counts[cause] = entry
    return (entry.lines <= Limits.logLinesPerMinute, missed)
  }
}
