import Dispatch
import SegueBus
import SegueCore

/// Writes what has to be on the disk, on a thread of its own: a disk that takes long for that, or stalls, holds up those
/// who wait for it, and not the loop. The queue takes a thread only while there is work. To be used on the loop's thread.
final class DiskWriter {
  private let loop: EventLoop
  private let queue = DispatchQueue(label: "org.segue.disk")
  private var pending = 0
  private var isClosed = false
  private let lock = Lock()
  /// What was done, and has not been told; under the lock.
  private var outcomes: [() -> Void] = []

  init(_ loop: EventLoop) { self.loop = loop }

  /// Does `work` there, after all that was asked for before, then calls `done` in a dispatch of the loop. If too much
  /// waits, or after `close`, nothing is done, and `done` gets an error, before what the others wait for.
  func run<Answer: Sendable>(
    _ work: @escaping @Sendable () throws(SegueError) -> Answer,
    done: @escaping (Result<Answer, SegueError>) -> Void
  ) {
    guard !isClosed, pending < Limits.pendingWrites else {
      let error = SegueError(
        .system, "Too much waits for the disk.", advice: "Look whether the disk of the home folder still answers.")
      return loop.later { done(.failure(error)) }
    }
    pending += 1
    let loop = loop
    // `done` is called only when it is back on the loop's thread.
    nonisolated(unsafe) let (writer, done) = (self, done)
    queue.async {
      let answer = Result { () throws(SegueError) in try work() }
      writer.lock.withLock { writer.outcomes.append { done(answer) } }
      loop.post { writer.tell() }
    }
  }

  /// Tells those who wait what has been done by now.
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

  /// Waits until all is written that was asked for, and tells those who wait for it. Blocks for `milliseconds` at most;
  /// returns false if the disk takes longer, and what is not written by then is lost if the process ends. Nothing is
  /// accepted any more.
  @discardableResult
  func close(within milliseconds: UInt64 = Limits.storeFarewellTime) -> Bool {
    isClosed = true
    let written = DispatchSemaphore(value: 0)
    queue.async { written.signal() }
    defer { tell() }
    return written.wait(timeout: .now() + .milliseconds(Int(clamping: milliseconds))) == .success
  }
}
