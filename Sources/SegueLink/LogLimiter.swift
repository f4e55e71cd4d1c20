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

/// Log lines that a peer, even an unauthenticated one, can cause: at most `Limits.logLinesPerMinute` per cause and
/// minute.
struct LogLimiter {
  /// The subject of a line. Each peer has causes of its own, so that one leaves room for the lines of another.
  enum Cause: Hashable {
    case unauthenticated, dial, exhausted
    case violation(DeviceID?), peer(DeviceID?)
  }

  private var counts: [Cause: (since: UInt64, lines: Int)] = [:]

  /// Whether a line may be written, and how many were suppressed in the minute before. Time in milliseconds.
  mutating func admit(_ cause: Cause, now: UInt64) -> (write: Bool, missed: Int) {
    if counts[cause] == nil, counts.count >= Limits.logCauses {
      counts = counts.filter { now < $0.value.since + 60_000 }
    }
    // A cause beyond the number that is counted gets no line.
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
