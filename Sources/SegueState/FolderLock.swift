import CLinux
import Glibc
import SegueBus
import SegueCore

/// A folder that one process has at a time: a lock on the file `lock` in it, which ends with the process or with this
/// object. The file names who has it.
final class FolderLock {
  static let name = "lock"
  let file: FileDescriptor

  /// Locks the folder. Throws `nameTaken`, with who has it, while another process does: two that were meant to have
  /// folders of their own differ in the environment variable `variable`. Throws `system`.
  init(_ folder: FileDescriptor, _ path: String, variable: String) throws(SegueError) {
    guard let file = folder.open(Self.name, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600) else {
      throw File.failure("open", "\(path)/\(Self.name)")
    }
    if flock(file.raw, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { Self.waitForEnd(of: file) }
    guard flock(file.raw, LOCK_EX | LOCK_NB) == 0 else {
      throw errno == EWOULDBLOCK
        ? SegueError(
          .nameTaken, "Another segued (process \(Self.holder(file))) runs with \(path).",
          advice: "Nothing is to be done, unless this one was meant to have another \(variable).")
        : File.failure("lock", path)
    }
    self.file = file
    // For the message of whoever comes second; without it the lock is as good.
    if ftruncate(file.raw, 0) == 0 { _ = file.put(Array("\(getpid())\n".utf8), at: 0) }
  }

  /// Not only closed: a child that was forked just now has the file too, until it runs another program.
  deinit { flock(file.raw, LOCK_UN) }

  /// A process that was killed has the lock until the kernel has ended all of it, and the next one is started as soon as
  /// its connections are gone.
  private static func waitForEnd(of file: FileDescriptor) {
    guard let pid = Int32(holder(file)), let process = FileDescriptor(segue_pidfd_open(pid)) else { return }
    var end = pollfd(fd: process.raw, events: Int16(POLLIN), revents: 0)
    poll(&end, 1, Int32(clamping: Limits.lockTime))
  }

  private static func holder(_ file: FileDescriptor) -> String {
    let digits = (file.bytes(maximum: 16, at: 0) ?? []).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return digits.isEmpty ? "unknown" : String(decoding: digits, as: UTF8.self)
  }
}
