import Glibc
import SegueBus
import SegueCore

/// The directory of the private door. Only this user can reach it, and one daemon has it at a time. Any process that
/// reaches the socket in it can connect, so the directory is what keeps others out.
public final class DoorFolder {
  /// The directory's path.
  public let path: String
  private let folder: FileDescriptor
  private let lock: FolderLock
  /// Whether the directory was made for this process alone, and is removed when it ends.
  private let isFresh: Bool

  /// Makes the directory at `path` if it is missing, and locks it; nil stands for a fresh directory in TMPDIR. Throws
  /// `accessDenied` for another user's directory, `nameTaken` (with the process) while another daemon has it, and
  /// `system`.
  public init(_ path: String?) throws(SegueError) {
    let place: String
    if let path { place = path } else { place = try Self.freshFolder() }
    guard mkdir(place, 0o700) == 0 || errno == EEXIST else {
      throw SegueError(.system, "The folder \(place) of the private door cannot be made.")
    }
    guard let folder = FileDescriptor(open(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)),
      folder.status?.st_uid == getuid(), fchmod(folder.raw, 0o700) == 0
    else {
      throw SegueError(
        .accessDenied, "The folder \(place) is not this user's own.", advice: "Remove it, then start segued again.")
    }
    lock = try FolderLock(folder, place, variable: "XDG_RUNTIME_DIR")
    self.path = place
    self.folder = folder
    isFresh = path == nil
  }

  private static func freshFolder() throws(SegueError) -> String {
    var template = Array(((environment("TMPDIR") ?? "/tmp") + "/segue-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw SegueError(.system, "No folder for the private door could be made.", advice: "Set XDG_RUNTIME_DIR.")
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A descriptor of the socket with that name, which can only be used to connect. A descriptor of the directory would
  /// lead out of a caller's sandbox, by "..". Throws `system` if the socket is gone.
  public func descriptor(of socket: String) throws(SegueError) -> FileDescriptor {
    let pathOnly: Int32 = 0o10000000  // O_PATH, which the C library shows only to those who ask for GNU's own.
    guard let leading = folder.open(socket, pathOnly | O_NOFOLLOW) else {
      throw SegueError(.system, "The private door is not there.")
    }
    return leading
  }

  /// Removes the socket, and the directory if it is a fresh one. The lock is released when this object is freed.
  public func remove(socket: String) {
    unlinkat(folder.raw, socket, 0)
    guard isFresh else { return }
    unlinkat(folder.raw, FolderLock.name, 0)
    rmdir(path)
  }
}
