import CLinux
import SegueBus
import Synchronization

/// Which thread an application belongs to. Any thread may ask, and may take it over.
///
/// A call from any thread takes effect at once on the application's thread. Such a call holds the lock meanwhile, so that
/// no other thread becomes the application's in the middle of it. Calls that are for the application's thread alone need
/// no lock: whoever takes the application over sees to it that none is under way.
final class ApplicationThread: Sendable {
  private let thread = Atomic(segue_this_thread())
  /// The thread that has the lock; 0: none has it.
  private let holder = Atomic<UInt>(0)
  private let lock = Lock()

  /// Whether the calling thread is the application's. Another thread may be it a moment later, unless the caller is in a
  /// call for the application's thread or in a body of `ifCurrent`.
  @inline(__always)
  var isCurrent: Bool { segue_this_thread() == thread.load(ordering: .acquiring) }

  /// Makes the calling thread the application's, as soon as no body of `ifCurrent` runs on another one.
  func adopt() {
    guard !isCurrent else { return }
    lock.withLock { thread.store(segue_this_thread(), ordering: .releasing) }
  }

  /// Runs `body` if the calling thread is the application's, and lets no other one become it meanwhile; nil if it is
  /// not. A body may call this again.
  func ifCurrent<T>(_ body: () -> T) -> T? {
    guard isCurrent else { return nil }
    let caller = segue_this_thread()
    if holder.load(ordering: .relaxed) == caller { return body() }
    return lock.withLock {
      guard isCurrent else { return nil }
      holder.store(caller, ordering: .relaxed)
      defer { holder.store(0, ordering: .relaxed) }
      return body()
    }
  }
}
