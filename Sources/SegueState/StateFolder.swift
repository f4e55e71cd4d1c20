import CLinux
import Glibc
import SegueBus
import SegueCore

/// The directory of the files that must outlive the daemon, above all the key and the pins. One process has it at a
/// time.
///
/// A file is replaced atomically: it is written under another name, synchronised and renamed, and the directory is
/// synchronised. So a crash at any step leaves the old or the new file. Files that others may read or write, links, and
/// files of another owner are refused. Every call may block on the disk. The calls may be made from any thread; those
/// for one file must come one after the other.
public final class StateFolder: Sendable {
  /// The directory's path, for messages.
  public let path: String
  private let folder: FileDescriptor
  private let lock: FolderLock
  let checksum: Checksum

  /// Opens the directory and locks it; makes it if it is missing (its parent must exist). `sha256` hashes the content
  /// of its files. Throws `accessDenied` if others can reach the directory, `nameTaken` while another process has it,
  /// and `system`.
  public init(_ path: String, sha256: @escaping @Sendable ([UInt8]) -> [UInt8]) throws(SegueError) {
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw File.failure("make the folder", path) }
    guard let folder = FileDescriptor(Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) else {
      throw File.failure("open the folder", path)
    }
    try Self.check(folder, path, kind: S_IFDIR)
    lock = try FolderLock(folder, path, variable: "XDG_STATE_HOME")
    self.path = path
    self.folder = folder
    checksum = Checksum(hash: sha256)
  }

  /// The file's bytes without its checksum; nil if there is no such file. Throws `invalidArgument` if the checksum does
  /// not match, `accessDenied`, `limitExceeded`, `system`.
  public func read(_ name: String) throws(SegueError) -> [UInt8]? {
    guard let file = try open(name, O_RDONLY) else { return nil }
    guard let bytes = file.bytes(maximum: Limits.fileLength + 1) else { throw File.failure("read", "\(path)/\(name)") }
    guard bytes.count <= Limits.fileLength else {
      throw SegueError(.limitExceeded, "\(path)/\(name) is larger than \(Limits.fileLength) bytes.")
    }
    guard let content = checksum.verified(bytes) else {
      throw SegueError(
        .invalidArgument, "\(path)/\(name) is damaged: its checksum does not match.",
        advice: "Restore it from a backup, or move it away; without it, devices must be paired anew.")
    }
    return content
  }

  /// Opens a file of this user that others cannot reach; nil if there is no such file.
  func open(_ name: String, _ access: Int32) throws(SegueError) -> FileDescriptor? {
    guard let file = folder.open(name, access | O_NOFOLLOW | O_NONBLOCK) else {
      if errno == ENOENT { return nil }
      throw File.failure("open", "\(path)/\(name)")
    }
    try Self.check(file, "\(path)/\(name)", kind: S_IFREG)
    return file
  }

  /// Makes an empty file, which replaces any other entry of that name.
  func make(_ name: String) throws(SegueError) -> FileDescriptor {
    // A crash may have left a file of this name. If it stayed, O_EXCL would refuse every later write.
    unlinkat(folder.raw, name, 0)
    guard let file = folder.open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600) else {
      throw File.failure("make", "\(path)/\(name)")
    }
    return file
  }

  /// Replaces the file as a whole, with a checksum. Throws `limitExceeded` above `Limits.fileLength`, and `system`; the
  /// old file is then unchanged.
  public func write(_ name: String, _ content: [UInt8]) throws(SegueError) {
    let bytes = checksum.added(to: content)
    guard bytes.count <= Limits.fileLength else {
      throw SegueError(.limitExceeded, "\(path)/\(name) would be larger than \(Limits.fileLength) bytes.")
    }
    let new = name + ".new"
    let file = try make(new)
    do throws(SegueError) {
      guard file.put(bytes) else { throw File.failure("write", "\(path)/\(new)") }
      guard fsync(file.raw) == 0 else { throw File.failure("synchronise", "\(path)/\(new)") }
      guard close(file.take()) == 0 else { throw File.failure("close", "\(path)/\(new)") }
      try put(new, inPlaceOf: name)
    } catch {
      unlinkat(folder.raw, new, 0)
      throw error
    }
  }

  /// Gives a new file its final name. The old file keeps the new one's former name until the directory is synchronised:
  /// if that fails, the old file gets its name back.
  private func put(_ new: String, inPlaceOf name: String) throws(SegueError) {
    let exchanges = segue_exchange(folder.raw, new, name) == 0
    let isFirst = !exchanges && errno == ENOENT
    // There was no old file, or this file system cannot exchange two files.
    guard exchanges || renameat(folder.raw, new, folder.raw, name) == 0 else {
      throw File.failure("rename", "\(path)/\(new)")
    }
    guard fsync(folder.raw) == 0 else {
      let error = File.failure("synchronise", path)
      if exchanges { _ = segue_exchange(folder.raw, new, name) }
      if isFirst { unlinkat(folder.raw, name, 0) }
      throw error
    }
    if exchanges { unlinkat(folder.raw, new, 0) }
  }

  /// Checks that the file belongs to this user, has the right kind, and cannot be reached by others.
  private static func check(_ file: FileDescriptor, _ path: String, kind: mode_t) throws(SegueError) {
    guard let status = file.status else { throw File.failure("examine", path) }
    guard status.st_mode & S_IFMT == kind else {
      throw SegueError(.accessDenied, "\(path) is not a \(kind == S_IFDIR ? "folder" : "regular file").")
    }
    guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      throw SegueError(
        .accessDenied, "\(path) belongs to another user or can be reached by others.",
        advice: "It holds this device's key: chown it to yourself and run chmod go= on it.")
    }
  }
}
