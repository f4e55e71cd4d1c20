import CLinux
import SegueBus
import SegueCore

/// Lines for the developer that were not written yet: a part of the application. Any thread adds lines; the
/// application's thread writes them.
final class LogLines: @unchecked Sendable {
  private let lock = Lock()
  // Under the lock.
  private var waiting: [String] = []
  /// The number of lines that had no room.
  private var lost = 0

  /// Adds a line; returns whether it is the first, for which the caller must queue the writing.
  func add(_ line: String) -> Bool {
    lock.withLock {
      guard waiting.count < Limits.logLines else {
        lost &+= 1
        return false
      }
      waiting.append(line)
      return waiting.count == 1
    }
  }

  func take() -> [String] {
    let (lines, lost) = lock.withLock {
      defer {
        waiting = []
        self.lost = 0
      }
      return (waiting, self.lost)
    }
    return lost == 0 ? lines : lines + ["\(lost) more lines were lost, since too many came at once"]
  }
}
