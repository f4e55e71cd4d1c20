import Glibc
import SegueBus

/// The kind of a file system entry, as far as it matters.
public enum FileKind: Sendable {
  case file, folder, link
  /// A FIFO, a socket or a device.
  case other

  public init(_ status: stat) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: self = .file
    case S_IFDIR: self = .folder
    case S_IFLNK: self = .link
    default: self = .other
    }
  }
}

extension FileDescriptor {
  /// The kind of the open file; nil if the call fails, with errno set.
  public var kind: FileKind? { status.map { FileKind($0) } }
}
