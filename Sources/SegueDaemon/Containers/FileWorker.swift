import Dispatch
import SegueBus
import SegueCore

/// Looks into file systems on a thread of its own, since one that is gone (a server, a disk that sleeps) can keep whoever
/// looks for minutes.
final class FileWorker {
  private let loop: EventLoop
  private let queue = DispatchQueue(label: "org.segue.files")
  private var pending = 0

  init(_ loop: EventLoop) { self.loop = loop }

  /// Does `work` there, after what was asked for before, then `done` in a dispatch of the loop. False if too much waits:
  /// neither is done. Loop thread.
  func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result, done: @escaping (Result) -> Void) -> Bool {
    guard pending < Limits.pendingLooks else { return false }
    pending += 1
    let loop = loop
    // They come back to the thread that they are from.
    nonisolated(unsafe) let (worker, done) = (self, done)
    queue.async {
      let result = work()
      loop.post {
        worker.pending -= 1
        done(result)
      }
    }
    return true
  }
}
