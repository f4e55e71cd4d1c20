import Logging
import SegueCore

/// The link's lines in the log, as many as `LogLimiter` admits.
final class LinkLog {
  let logger: Logger
  private var limiter = LogLimiter()

  init(_ logger: Logger) { self.logger = logger }

  func write(_ cause: LogLimiter.Cause, at now: UInt64, _ message: @autoclosure () -> String) {
    let verdict = limiter.admit(cause, now: now)
    if verdict.missed > 0 { logger.notice("\(verdict.missed) more lines like the next were left out.") }
    if verdict.write { logger.notice("\(message())") }
  }
}

/// Log lines that a peer or a stranger can cause: at most `Limits.logLinesPerMinute` of one cause in a minute.
/// This is no `Allowance`: the first line of the next minute says how many were left out.
struct LogLimiter {
  /// What a line is about. What one peer does leaves room for the lines of another.
  enum Cause: Hashable {
    case stranger, dial, exhausted
    case violation(DeviceID?), peer(DeviceID?)
  }

  private var counts: [Cause: (since: UInt64, lines: Int)] = [:]

  /// Whether a line may be written, and how many were not in the minute before. Time in milliseconds.
  mutating func admit(_ cause: Cause, now: UInt64) -> (write: Bool, missed: Int) {
    if counts[cause] == nil, counts.count >= Limits.logCauses {
      counts = counts.filter { now < $0.value.since + 60_000 }
    }
    // Of more at once than are counted nothing is written.
    guard counts[cause] != nil || counts.count < Limits.logCauses else { return (false, 0) }
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
