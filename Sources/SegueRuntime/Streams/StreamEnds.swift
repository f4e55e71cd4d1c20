import SegueBus
import SegueCore

/// Why streams of this process ended, where the daemon has said so: asked by a descriptor alone, from any thread.
final class StreamEnds: @unchecked Sendable {
  static let shared = StreamEnds()
  private let lock = Lock()
  /// The streams that were handed out last, oldest first.
  private var streams: [(inode: UInt64, error: SegueError?)] = []

  /// A stream was handed out. What had this inode before is no more.
  func opened(_ inode: UInt64) {
    lock.withLock {
      streams.removeAll { $0.inode == inode }
      if streams.count >= Limits.streamsRemembered { streams.removeFirst() }
      streams.append((inode, nil))
    }
  }

  /// The daemon says why a stream ends. Its first word counts; of others than were handed out nothing is kept.
  func ended(_ inode: UInt64, _ error: SegueError) {
    lock.withLock {
      guard let index = streams.firstIndex(where: { $0.inode == inode }), streams[index].error == nil else { return }
      streams[index].error = error
    }
  }

  func error(_ inode: UInt64) -> SegueError? {
    lock.withLock { streams.first { $0.inode == inode }?.error }
  }
}
