import CLinux
import SegueBus
import SegueCore

/// How streams of this process ended, where that is known: asked by a descriptor alone, from any thread.
public final class StreamLosses: @unchecked Sendable {
  public static let shared = StreamLosses()

  private struct Stream {
    let inode: UInt64
    /// The daemon's reason.
    var reason: SegueError?
    /// Whether a read has found it lost; the descriptor reports that only once.
    var isLost = false
  }

  private let lock = Lock()
  private let forkGeneration = segue_fork_generation()
  /// The streams that were handed out last, oldest first.
  private var streams: [Stream] = []

  init() {}

  /// Notes a stream that was handed out. An earlier stream with the same inode is gone.
  func opened(_ inode: UInt64) {
    change {
      $0.removeAll { $0.inode == inode }
      Self.add(Stream(inode: inode), to: &$0)
    }
  }

  private static func add(_ stream: Stream, to streams: inout [Stream]) {
    if streams.count >= Limits.streamsRemembered { streams.removeFirst() }
    streams.append(stream)
  }

  /// Notes the daemon's reason for the end of a stream. The first reason counts; streams that were not handed out are
  /// ignored.
  func ended(_ inode: UInt64, _ error: SegueError) {
    change {
      guard let index = $0.firstIndex(where: { $0.inode == inode }), $0[index].reason == nil else { return }
      $0[index].reason = error
    }
  }

  /// Notes that reading the descriptor has failed with ECONNRESET.
  func lost(_ descriptor: Int32) {
    guard let inode = Self.status(descriptor)?.inode else { return }
    change {
      if let index = $0.firstIndex(where: { $0.inode == inode }) {
        $0[index].isLost = true
      } else {
        Self.add(Stream(inode: inode, isLost: true), to: &$0)
      }
    }
  }

  public enum End: Equatable {
    /// The descriptor is not open.
    case closed
    /// Nothing is known of a loss.
    case none
    case lost(SegueError)
  }

  /// Whether the stream of this input was lost, and why: what the daemon said, else that it is lost.
  public func end(of descriptor: Int32) -> End {
    guard let (inode, isSocket) = Self.status(descriptor) else { return .closed }
    if let reason = reason(inode) { return .lost(reason) }
    let isLost = change { $0.contains { $0.inode == inode && $0.isLost } }
    return isLost || isSocket && Self.showsError(descriptor) ? .lost(Self.noReason) : .none
  }

  func reason(_ inode: UInt64) -> SegueError? { change { $0.first { $0.inode == inode }?.reason } }

  private static let noReason = SegueError(
    .connectionUnavailable, "The stream was cut off.", advice: "Ask for streams again, if the other device is there.")

  private static func status(_ descriptor: Int32) -> (inode: UInt64, isSocket: Bool)? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    return (UInt64(truncatingIfNeeded: status.st_ino), status.st_mode & mode_t(S_IFMT) == mode_t(S_IFSOCK))
  }

  /// Whether the next read fails, by poll(2), which does not consume the error.
  private static func showsError(_ descriptor: Int32) -> Bool {
    var asked = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&asked, 1, 0) > 0 && Int32(asked.revents) & POLLERR != 0
  }

  /// Runs `body` under the lock, but in the child of a fork on an empty list: another thread may have held the lock at
  /// the fork, and nobody there would release it.
  private func change<T>(_ body: (inout [Stream]) -> T) -> T {
    guard segue_fork_generation() == forkGeneration else {
      var none: [Stream] = []
      return body(&none)
    }
    return lock.withLock { body(&streams) }
  }
}
