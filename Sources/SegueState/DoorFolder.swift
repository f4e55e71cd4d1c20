import Glibc
import SegueBus
import SegueCore

/// The folder of the private door: this user's own, out of reach for others, and one daemon's at a time. The socket in it
/// can be connected to by whoever reaches it: the folder is what keeps others out.
public final class DoorFolder {
  /// Where it is.
  public let path: String
  private let folder: FileDescriptor
  private let lock: FolderLock
  /// It was made for this process alone, and goes with it.
  private let isFresh: Bool

  /// Makes the folder at `path` where it is missing, and locks it; nil stands for a fresh one in TMPDIR.
  /// Throws `accessDenied` for another's folder, `nameTaken`, with who runs, while another daemon has it, `system`.
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

  /// A descriptor that only leads to the folder. Throws `system` where it is gone.
  public func descriptor() throws(SegueError) -> FileDescriptor {
    let pathOnly: Int32 = 0o10000000  // O_PATH, which the C library shows only to those who ask for GNU's own.
    guard let leading = FileDescriptor(open(path, pathOnly | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) else {
      throw SegueError(.system, "The private door is not there.")
    }
    return leading
  }

  /// Removes the socket, and the folder if it is a fresh one. Another daemon may have it once this object is gone.
  public func remove(socket: String) {
    unlinkat(folder.raw, socket, 0)
    guard isFresh else { return }
    unlinkat(folder.raw, FolderLock.name, 0)
    rmdir(path)
  }
}
