import CLinux
import SegueBus
import SegueCore

/// Lines for the developer that were not told yet. Any thread adds some; the application's tells.
final class LogLines: @unchecked Sendable {
  private let lock = Lock()
  // Under the lock.
  private var waiting: [String] = []
  /// Those that had no room.
  private var lost = 0

  /// Whether it is the first, whose telling is to be queued.
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

extension Application {
  /// A line for the developer: to the delegate, or to standard error where SEGUE_LOG is set, or to nobody. At the next
  /// dispatch, since this may be inside a call of the application's, or of a plugin's. Any thread.
  func log(_ line: String) {
    if lines.add(line) { later { [self] in tellLines() } }
  }

  func tellLines() {
    for line in lines.take() where !isClosed {
      if let log = delegate.log {
        log(self, line)
      } else if getenv("SEGUE_LOG") != nil {
        let bytes = Array("segue: \(appID.string): \(line)\n".utf8)
        _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
      }
    }
  }
}
