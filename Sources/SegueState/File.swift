import Glibc
import SegueCore

/// Small files, read whole.
public enum File {
  /// Makes the folders above a path, for this user alone, where they are missing (XDG Base Directory Specification).
  public static func makeParents(of path: String) throws(SegueError) {
    var parent = ""
    for name in path.split(separator: "/").dropLast() {
      parent += "/" + name
      guard mkdir(parent, 0o700) == 0 || errno == EEXIST else {
        throw SegueError(.system, "The folder \(parent) cannot be made.", advice: "Make it, or set XDG_STATE_HOME.")
      }
    }
  }

  /// Writes a file, or another in its place, at once: a crash leaves the old or the new one. Throws `system`.
  public static func replace(_ path: String, _ bytes: [UInt8]) throws(SegueError) {
    let draft = path + ".new"
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SegueError(.system, "\(path) cannot be written: \(systemMessage()).") }
    var rest = bytes[...]
    var isWritten = true
    while isWritten, !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      isWritten = count > 0
      rest = rest.dropFirst(max(count, 0))
    }
    isWritten = isWritten && fsync(file) == 0
    guard close(file) == 0, isWritten, rename(draft, path) == 0 else {
      let reason = systemMessage()
      unlink(draft)
      throw SegueError(.system, "\(path) cannot be written: \(reason).")
    }
  }

  /// Nil where there is none. Throws where it is too large or cannot be read.
  public static func read(_ path: String, maximum: Int = Limits.fileLength) throws(SegueError) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw SegueError(.system, "\(path) cannot be read.")
    }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: maximum + 1)
    var count = 0
    while count < bytes.count {
      let some = bytes.withUnsafeMutableBytes {
        Glibc.read(file, $0.baseAddress?.advanced(by: count), $0.count - count)
      }
      if some < 0, errno == EINTR { continue }
      guard some >= 0 else { throw SegueError(.system, "\(path) cannot be read.") }
      if some == 0 { return Array(bytes[..<count]) }
      count += some
    }
    throw SegueError(.limitExceeded, "\(path) is larger than \(maximum) bytes.")
  }
}
