import CSegueLibrary
import Foundation
import Glibc

/// The thread that waits at the descriptors of all streams. A call that waits holds no thread of its own: Dispatch has few.
final class StreamPoller: @unchecked Sendable {
  static let shared = StreamPoller()

  // Comes before the lock of an end where both are held.
  private let lock = NSLock()
  private var ends: [ObjectIdentifier: StreamEnd] = [:]
  /// Makes the thread look again; there from the first call on that waits.
  private var bell: Int32 = -1

  /// Waits for an end that has calls.
  func add(_ end: StreamEnd) throws {
    try lock.withLock {
      if bell < 0 { try start() }
      ends[ObjectIdentifier(end)] = end
    }
    ring()
  }

  /// Says that an end has lost calls.
  func ring() {
    let bell = lock.withLock { self.bell }
    var one: UInt64 = 1
    if bell >= 0 { _ = write(bell, &one, MemoryLayout.size(ofValue: one)) }
  }

  private func start() throws {
    let made = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard made >= 0 else { throw SegueError(result: -errno) }
    bell = made
    let thread = Thread { [self] in while true { turn(made) } }
    thread.name = "segue-streams"
    thread.start()
  }

  private func turn(_ bell: Int32) {
    let waiting = lock.withLock {
      ends = ends.filter { $0.value.isWaiting }
      return Array(ends.values)
    }
    var polled = [pollfd(fd: bell, events: Int16(POLLIN), revents: 0)]
    polled += waiting.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
    guard poll(&polled, nfds_t(polled.count), -1) > 0 else { return }
    var rung: UInt64 = 0
    _ = read(bell, &rung, MemoryLayout.size(ofValue: rung))
    // A number that was closed meanwhile, or is another file's, is of an end that has no calls any more.
    for (end, result) in zip(waiting, polled.dropFirst()) where result.revents != 0 { end.advance() }
  }
}
