import CLinux
import Glibc
import SegueBus
import SegueCore

/// Lets one process at a time have a directory, by a lock on the file `lock` in it. The lock ends with the process or
/// with this object. The file names the process, and its session bus.
final class FolderLock: Sendable {
  static let name = "lock"
  let file: FileDescriptor

  /// Locks the directory. Throws `nameTaken`, with the process, while another one has it; the advice names the
  /// environment variable `variable`, by which two daemons get different directories. Throws `system`.
  init(_ folder: FileDescriptor, _ path: String, variable: String) throws(SegueError) {
    guard let file = folder.open(Self.name, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600) else {
      throw File.failure("open", "\(path)/\(Self.name)")
    }
    if flock(file.raw, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { Self.waitForEnd(of: file) }
    guard flock(file.raw, LOCK_EX | LOCK_NB) == 0 else {
      throw errno == EWOULDBLOCK ? FolderHolder(file).refusal(path, variable: variable) : File.failure("lock", path)
    }
    self.file = file
    // The content is needed only for the message of a second process; the lock works without it.
    if ftruncate(file.raw, 0) == 0 { _ = file.put(FolderHolder.own, at: 0) }
  }

  /// Unlocks explicitly, since closing is not enough: a child that was just forked has the file open too, until it runs
  /// its program.
  deinit { flock(file.raw, LOCK_UN) }

  /// Waits for the end of the process that has the lock. A killed process keeps the lock until the kernel has cleaned
  /// up, but the next one is started as soon as the killed one's connections are closed.
  private static func waitForEnd(of file: FileDescriptor) {
    guard let pid = Int32(FolderHolder(file).process), let process = FileDescriptor(segue_pidfd_open(pid)) else {
      return
    }
    var end = pollfd(fd: process.raw, events: Int16(POLLIN), revents: 0)
    poll(&end, 1, Int32(clamping: Limits.lockTime))
  }
}
