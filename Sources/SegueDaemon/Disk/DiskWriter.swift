import SegueBus
import SegueCore
import SegueState

/// Writes to the disk on a thread of its own: a disk that is slow, or stalls, holds up only the callers that wait for
/// it, and not the loop. To be used on the loop's thread.
final class DiskWriter {
  private let loop: EventLoop
  private let queue = WorkQueue("segue-disk", prepare: Confinement.enter)
  private var pending = 0
  private var isClosed = false
  private let lock = Lock()
  /// The outcomes of finished work that have not been delivered; under the lock.
  private var outcomes: [() -> Void] = []

  init(_ loop: EventLoop) { self.loop = loop }

  /// Does `work` there, after all earlier work, then calls `done` in a dispatch of the loop. If too much work waits, or
  /// after `close`, the work is not done, and `done` gets an error, before the outcomes of the waiting work.
  func run<Answer: Sendable>(
    _ work: @escaping @Sendable () throws(SegueError) -> Answer,
    done: @escaping (Result<Answer, SegueError>) -> Void
  ) {
    guard !isClosed, pending < Limits.pendingWrites else {
      let error = SegueError(
        .system, "Too much is waiting for the disk.", advice: "Check whether the disk of the home folder still answers."
      )
      return loop.later { done(.failure(error)) }
    }
    pending += 1
    let loop = loop
    // `done` is called only when it is back on the loop's thread.
    nonisolated(unsafe) let (writer, done) = (self, done)
    queue.add {
      let answer = Result { () throws(SegueError) in try work() }
      writer.lock.withLock { writer.outcomes.append { done(answer) } }
      loop.post { writer.tell() }
    }
  }

  /// Delivers the outcomes of the work that is done by now.
  private func tell() {
    let told = lock.withLock {
      defer { outcomes = [] }
      return outcomes
    }
    for outcome in told {
      pending -= 1
      outcome()
    }
  }

  /// Waits until all requested work is written, and delivers the outcomes. Blocks for `milliseconds` at most; returns
  /// false if the disk takes longer, and work that is not written by then is lost if the process ends. Later work is
  /// refused.
  @discardableResult
  func close(within milliseconds: UInt64 = Limits.storeFarewellTime) -> Bool {
    isClosed = true
    let written = Happening()
    queue.add { written.happen() }
    defer { tell() }
    return written.wait(milliseconds: milliseconds)
  }
}
