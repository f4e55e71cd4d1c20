import CLinux
import Glibc
import SegueBus
import SegueCore

/// Work that may block, done on threads of its own, in the order in which it was added.
///
/// A thread exists only while there is work, and a moment longer, so that a process at rest sleeps. That is why these
/// are not libdispatch's queues: from the first use of one on, a timer of that library wakes the process every second.
public final class WorkQueue: @unchecked Sendable {
  private let name: String
  private let threads: Int
  private let linger: UInt64
  /// Runs first on each thread.
  private let prepare: @Sendable () -> Void
  private let condition = Condition()
  // Under the lock of the condition.
  private var waiting: ArraySlice<@Sendable () -> Void> = []
  private var running = 0
  private var idle = 0

  /// `name`: what the system's tools call its threads, of 15 bytes at most. `threads`: how many pieces of work may run
  /// at a time; with one, each begins when the one before it has ended. `linger`: for how many milliseconds a thread
  /// waits for more. `prepare` runs first on each thread.
  public init(
    _ name: String, threads: Int = 1, linger: UInt64 = Limits.threadLinger,
    prepare: @escaping @Sendable () -> Void = {}
  ) {
    self.name = name
    self.threads = threads
    self.linger = linger
    self.prepare = prepare
  }

  /// Has `work` done after what was added before. Any thread. Where the system gives no thread it is done here and now,
  /// so that nothing waits for ever.
  public func add(_ work: @escaping @Sendable () -> Void) {
    let needsThread = condition.withLock {
      waiting.append(work)
      condition.signal()
      guard idle < waiting.count, running < threads else { return false }
      running += 1
      return true
    }
    if needsThread, !start() { workHere() }
  }

  /// Does what waits, unless another thread is there to do it.
  private func workHere() {
    while let work = condition.withLock({ running > 1 ? leave() : takeFirst() ?? leave() }) { work() }
  }

  /// Whether a thread works, or waits for work. For tests.
  var hasThreads: Bool { condition.withLock { running > 0 } }

  private func start() -> Bool {
    var former = sigset_t()
    var all = sigset_t()
    sigfillset(&all)
    // Signals are the main thread's.
    pthread_sigmask(SIG_BLOCK, &all, &former)
    defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
    var thread = pthread_t()
    let queue = Unmanaged.passRetained(self)
    let code = pthread_create(
      &thread, nil,
      { queue in
        guard let queue else { return nil }
        Unmanaged<WorkQueue>.fromOpaque(queue).takeRetainedValue().run()
        return nil
      }, queue.toOpaque())
    guard code == 0 else {
      queue.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  private func run() {
    segue_name_thread(name)
    prepare()
    while let work = next() { work() }
  }

  /// The next piece of work; nil if there was none for a while, and the thread ends.
  private func next() -> (@Sendable () -> Void)? {
    condition.withLock {
      if waiting.isEmpty {
        idle += 1
        _ = condition.wait(milliseconds: linger) { !waiting.isEmpty }
        idle -= 1
      }
      return takeFirst() ?? leave()
    }
  }

  /// Takes out what comes first. Under the lock.
  private func takeFirst() -> (@Sendable () -> Void)? {
    // A slice keeps what was taken out of it, with all that it holds.
    defer { if waiting.isEmpty { waiting = [] } }
    return waiting.popFirst()
  }

  /// A thread has nothing more to do. Under the lock.
  private func leave() -> (@Sendable () -> Void)? {
    running -= 1
    return nil
  }
}
