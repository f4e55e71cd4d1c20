import Glibc

/// A lock, and a way to wait for what changes under it.
final class Condition: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    condition = .allocate(capacity: 1)
    condition.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // A clock that nobody sets.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` while no other thread is inside.
  func withLock<T>(_ body: () -> T) -> T {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  /// Has the threads that wait look again. Under the lock.
  func signal() { pthread_cond_broadcast(condition) }

  /// Waits, without the lock meanwhile, until `isTrue` or for `milliseconds`. Returns what `isTrue` says at the end.
  /// Under the lock.
  func wait(milliseconds: UInt64, until isTrue: () -> Bool) -> Bool {
    var end = timespec()
    clock_gettime(CLOCK_MONOTONIC, &end)
    // More than a year is for ever.
    let milliseconds = Int(clamping: min(milliseconds, 32_000_000_000))
    end.tv_sec += milliseconds / 1_000
    end.tv_nsec += milliseconds % 1_000 * 1_000_000
    if end.tv_nsec >= 1_000_000_000 { (end.tv_sec, end.tv_nsec) = (end.tv_sec + 1, end.tv_nsec - 1_000_000_000) }
    while !isTrue() {
      guard pthread_cond_timedwait(condition, mutex, &end) == 0 else { return isTrue() }
    }
    return true
  }
}
