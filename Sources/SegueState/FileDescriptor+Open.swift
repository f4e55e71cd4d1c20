import Glibc
import SegueBus

// What the system calls that open something give.

extension FileDescriptor {
  /// Owns what a call gave; nil, with errno as it was left, if the call failed.
  public convenience init?(_ result: Int32) {
    guard result >= 0 else { return nil }
    self.init(owning: result)
  }

  /// Opens what has a name in this folder, by the flags of open(2); programs that are started do not inherit it. Nil, with
  /// errno.
  public func open(_ name: String, _ flags: Int32, mode: mode_t = 0) -> FileDescriptor? {
    FileDescriptor(openat(raw, name, flags | O_CLOEXEC, mode))
  }
}

extension stat {
  /// Whether it is a regular file.
  public var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
  /// Whether it is a folder.
  public var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
  /// Whether it is a symbolic link.
  public var isLink: Bool { st_mode & S_IFMT == S_IFLNK }
}
