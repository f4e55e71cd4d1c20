import Glibc
import SegueBus
import SegueCore

/// Small files by their paths, read and written whole. Every error names the file. What others may not reach is a
/// `StateFolder`'s.
public enum File {
  /// Nil where there is none. Throws `limitExceeded` for one that is too large, `system`. Neither a FIFO nor a device is
  /// waited for.
  public static func read(_ path: String, maximum: Int = Limits.fileLength) throws(SegueError) -> [UInt8]? {
    guard let file = FileDescriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure("read", path)
    }
    // One byte more than allowed tells a file that is too long.
    guard let bytes = file.bytes(maximum: maximum + 1) else { throw failure("read", path) }
    guard bytes.count <= maximum else {
      throw SegueError(.limitExceeded, "\(shown(path)) is larger than \(maximum) bytes.")
    }
    return bytes
  }

  /// The first bytes of a file, as many as there are: for those of the kernel's. Nil if it cannot be read.
  public static func beginning(of path: String, maximum: Int) -> [UInt8]? {
    FileDescriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY))?.bytes(maximum: maximum)
  }

  /// Writes a file that must not be there yet, to the disk. Throws `system`; there is no file then.
  public static func create(_ path: String, _ bytes: [UInt8], mode: mode_t = 0o600) throws(SegueError) {
    guard let file = FileDescriptor(open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)) else {
      throw failure("write", path)
    }
    guard file.put(bytes), fsync(file.raw) == 0, close(file.take()) == 0 else {
      let error = failure("write", path)
      unlink(path)
      throw error
    }
  }

  /// Writes a file, or another in its place, at once: a crash leaves the old or the new one. Throws `system`; the old one
  /// is then as it was.
  public static func replace(_ path: String, _ bytes: [UInt8], mode: mode_t = 0o600) throws(SegueError) {
    let draft = path + ".new"
    unlink(draft)
    try create(draft, bytes, mode: mode)
    guard rename(draft, path) == 0 else {
      let error = failure("write", path)
      unlink(draft)
      throw error
    }
  }

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

  /// The names of what is in a folder, sorted; none where it cannot be read.
  public static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return names }
      let name = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
      if let name = String(validatingCString: name) { names.append(name) }
    }
    return names.sorted()
  }

  /// What the call that failed last was for, and errno's word for why.
  static func failure(_ verb: String, _ path: String) -> SegueError {
    let reason = systemMessage()
    return SegueError(.system, "Could not \(verb) \(shown(path)): \(reason).")
  }

  private static func shown(_ path: String) -> String { DisplayText.clean(path, maximum: Int(PATH_MAX)) }
}
