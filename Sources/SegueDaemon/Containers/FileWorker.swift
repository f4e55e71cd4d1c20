import SegueBus
import SegueCore
import SegueState

/// Looks into file systems on a thread of its own, since a file system that does not answer (a server, a disk that
/// sleeps) can block its caller for minutes.
final class FileWorker {
  private let loop: EventLoop
  private let queue = WorkQueue("segue-files", prepare: Confinement.enter)
  private var pending = 0

  init(_ loop: EventLoop) { self.loop = loop }

  /// Does `work` there, after all earlier work, then `done` in a dispatch of the loop. Returns false, and does neither,
  /// if too much work waits. Loop thread.
  func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result, done: @escaping (Result) -> Void) -> Bool {
    guard pending < Limits.pendingLooks else { return false }
    pending += 1
    let loop = loop
    // They come back to the thread that they are from.
    nonisolated(unsafe) let (worker, done) = (self, done)
    queue.add {
      let result = work()
      loop.post {
        worker.pending -= 1
        done(result)
      }
    }
    return true
  }
}
