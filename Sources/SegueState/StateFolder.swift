import Glibc
import SegueCore

/// The folder of what must outlive the daemon: the key and the pins. One process has it at a time.
///
/// A file is replaced as a whole: written under another name, synchronised, renamed, and the folder synchronised, so
/// that a crash at any step leaves the old or the new one. Files that others may read or write, links, and files of
/// another owner are refused. Not thread-safe; every call may block on the disk.
public final class StateFolder {
  /// The folder's path, for messages.
  public let path: String
  private let folder: Int32
  private let lock: Int32
  let checksum: Checksum

  /// Opens the folder, makes it where it is missing (its parent must exist), and locks it. `sha256` hashes what its
  /// files hold.
  /// Throws `accessDenied` for a folder that others can get at, `nameTaken` while another process has it, `system`.
  public init(_ path: String, sha256: @escaping @Sendable ([UInt8]) -> [UInt8]) throws(SegueError) {
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw Self.system("make the folder", path) }
    let folder = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else { throw Self.system("open the folder", path) }
    var lock: Int32 = -1
    do throws(SegueError) {
      try Self.check(folder, path, kind: S_IFDIR)
      lock = openat(folder, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard lock >= 0 else { throw Self.system("open", "\(path)/lock") }
      guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
        throw errno == EWOULDBLOCK
          ? SegueError(
            .nameTaken, "Another segued (process \(Self.holder(lock))) runs with \(path).",
            advice: "Nothing is to be done, unless this one was meant to have another XDG_STATE_HOME.")
          : Self.system("lock", path)
      }
      Self.sign(lock)
    } catch {
      if lock >= 0 { close(lock) }
      close(folder)
      throw error
    }
    self.path = path
    self.folder = folder
    self.lock = lock
    checksum = Checksum(hash: sha256)
  }

  /// Notes who holds the lock, for the message of whoever comes second.
  private static func sign(_ lock: Int32) {
    let line = Array("\(getpid())\n".utf8)
    if ftruncate(lock, 0) == 0 { _ = pwrite(lock, line, line.count, 0) }
  }

  private static func holder(_ lock: Int32) -> String {
    var line = [UInt8](repeating: 0, count: 16)
    let count = pread(lock, &line, line.count, 0)
    let digits = line.prefix(max(0, count)).prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    return digits.isEmpty ? "unknown" : String(decoding: digits, as: UTF8.self)
  }

  deinit {
    close(lock)
    close(folder)
  }

  /// The file's bytes without its checksum; nil if there is no such file. Throws `invalidArgument` if the checksum
  /// does not match, `accessDenied`, `limitExceeded`, `system`.
  public func read(_ name: String) throws(SegueError) -> [UInt8]? {
    guard let file = try open(name, O_RDONLY) else { return nil }
    defer { close(file) }
    let bytes = try readAll(file, name)
    guard let content = checksum.verified(bytes) else {
      throw SegueError(
        .invalidArgument, "\(path)/\(name) is damaged: its checksum does not match.",
        advice: "Restore it from a backup, or move it away; without it, devices must be paired anew.")
    }
    return content
  }

  /// Opens a file that is ours, and out of reach for others; nil if there is no such file. The caller closes it.
  func open(_ name: String, _ access: Int32) throws(SegueError) -> Int32? {
    let file = openat(folder, name, access | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw Self.system("open", "\(path)/\(name)")
    }
    do throws(SegueError) {
      try Self.check(file, "\(path)/\(name)", kind: S_IFREG)
    } catch {
      close(file)
      throw error
    }
    return file
  }

  /// Makes an empty file, in the place of whatever has its name. The caller closes it.
  func make(_ name: String) throws(SegueError) -> Int32 {
    // What a crash left behind, say; were it kept, O_EXCL would refuse every later write.
    unlinkat(folder, name, 0)
    let file = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.system("make", "\(path)/\(name)") }
    return file
  }

  /// Replaces the file as a whole, with a checksum. Throws `limitExceeded` above `Limits.fileLength`, `system`; the
  /// old file is then as it was.
  public func write(_ name: String, _ content: [UInt8]) throws(SegueError) {
    let bytes = checksum.added(to: content)
    guard bytes.count <= Limits.fileLength else {
      throw SegueError(.limitExceeded, "\(path)/\(name) would be larger than \(Limits.fileLength) bytes.")
    }
    let new = name + ".new"
    let file = try make(new)
    var open = true
    do throws(SegueError) {
      try writeAll(file, bytes, new)
      guard fsync(file) == 0 else { throw Self.system("synchronise", "\(path)/\(new)") }
      open = false
      guard close(file) == 0 else { throw Self.system("close", "\(path)/\(new)") }
      guard renameat(folder, new, folder, name) == 0 else { throw Self.system("rename", "\(path)/\(new)") }
      guard fsync(folder) == 0 else { throw Self.system("synchronise", path) }
    } catch {
      if open { close(file) }
      unlinkat(folder, new, 0)
      throw error
    }
  }

  private func readAll(_ file: Int32, _ name: String) throws(SegueError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Limits.fileLength + 1)
    var count = 0
    while count < bytes.count {
      let got = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(file, buffer.baseAddress?.advanced(by: count), buffer.count - count)
      }
      if got == 0 { break }
      if got < 0 {
        if errno == EINTR { continue }
        throw Self.system("read", "\(path)/\(name)")
      }
      count += got
    }
    guard count <= Limits.fileLength else {
      throw SegueError(.limitExceeded, "\(path)/\(name) is larger than \(Limits.fileLength) bytes.")
    }
    return Array(bytes[..<count])
  }

  private func writeAll(_ file: Int32, _ bytes: [UInt8], _ name: String) throws(SegueError) {
    var count = 0
    while count < bytes.count {
      let put = bytes.withUnsafeBytes { buffer in
        Glibc.write(file, buffer.baseAddress?.advanced(by: count), buffer.count - count)
      }
      if put < 0 {
        if errno == EINTR { continue }
        throw Self.system("write", "\(path)/\(name)")
      }
      count += put
    }
  }

  /// Ours, of the right kind, and out of reach for others.
  private static func check(_ file: Int32, _ path: String, kind: mode_t) throws(SegueError) {
    var status = stat()
    guard fstat(file, &status) == 0 else { throw system("examine", path) }
    guard status.st_mode & S_IFMT == kind else {
      throw SegueError(.accessDenied, "\(path) is not a \(kind == S_IFDIR ? "folder" : "regular file").")
    }
    guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      throw SegueError(
        .accessDenied, "\(path) belongs to another user or can be reached by others.",
        advice: "It holds this device's key: chown it to yourself and run chmod go= on it.")
    }
  }

  static func system(_ verb: String, _ path: String) -> SegueError {
    let reason = String(cString: strerror(errno))
    return SegueError(.system, "Could not \(verb) \(path): \(reason).")
  }
}
