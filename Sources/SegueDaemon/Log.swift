import Logging
import SegueBus
import SegueCore

/// The daemon's log: silent when all is well, and never flooded by one cause.
struct Log: Sendable {
  let logger: Logger
  private let counts = Counts()

  init(_ logger: Logger) { self.logger = logger }

  /// Something that a person may want to know. At most `Limits.logLinesPerMinute` for one cause.
  func notice(_ line: @autoclosure () -> String, cause: String) { say(.notice, line(), cause) }

  /// Something is wrong, and somebody should look.
  func warning(_ line: @autoclosure () -> String, cause: String) { say(.warning, line(), cause) }

  /// For a person who follows what happens.
  func debug(_ line: @autoclosure () -> String) { logger.debug("\(line())") }

  private func say(_ level: Logger.Level, _ line: @autoclosure () -> String, _ cause: String) {
    switch counts.next(cause) {
    case .speak: logger.log(level: level, "\(DisplayText.clean(line(), maximum: Limits.sentenceLength))")
    case .last: logger.log(level: level, "more of the same kind (\(cause)) is not logged for a minute")
    case .silent: break
    }
  }

  /// How often each cause has spoken in its minute. Causes are written in the program, some with a device's id.
  private final class Counts: @unchecked Sendable {
    enum Verdict {
      case speak
      case last
      case silent
    }

    private let lock = Lock()
    private var causes: [String: (since: Instant, count: Int)] = [:]

    func next(_ cause: String) -> Verdict {
      let now = Instant.now
      return lock.withLock {
        if causes[cause] == nil, causes.count >= Limits.logCauses {
          causes = causes.filter { now.time(since: $0.value.since) <= 60_000 }
        }
        guard causes[cause] != nil || causes.count < Limits.logCauses else { return .silent }
        var entry = causes[cause] ?? (now, 0)
        if now.time(since: entry.since) > 60_000 { entry = (now, 0) }
        entry.count += 1
        causes[cause] = entry
        if entry.count <= Limits.logLinesPerMinute { return .speak }
        return entry.count == Limits.logLinesPerMinute + 1 ? .last : .silent
      }
    }
  }
}
