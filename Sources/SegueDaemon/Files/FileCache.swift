import Glibc
import SegueBus
import SegueCore
import SegueState

/// The folder of the files that were brought, `$XDG_CACHE_HOME/segue/files`: each in a folder of its own with a name that
/// nobody chose. What is still coming stands beside them, and has no name that tells anything.
///
/// Old copies give way to new ones, and to none that would fill the disk. Every call may block on the disk: on a worker.
/// Any thread.
final class FileCache: @unchecked Sendable {
  /// How much it holds, and what it leaves to others.
  struct Bounds {
    var copies = Limits.fileCopies
    var bytes = Limits.fileCopyBytes
    var life = Limits.fileCopyTime
    var reserve = Limits.fileReserve
  }

  private struct Copy {
    let name: String
    let bytes: UInt64
    let seconds: Int
  }

  let path: String
  private let bounds: Bounds
  /// Held while room is made, and what is coming is counted.
  private let lock = Lock()
  /// The sizes of what is coming, by the names that it has meanwhile.
  private var coming: [String: UInt64] = [:]

  static let partial = ".part"

  init(_ path: String, bounds: Bounds = Bounds()) {
    self.path = path
    self.bounds = bounds
  }

  /// The user's own.
  static var place: String {
    let given = environment("XDG_CACHE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    return (given ?? (environment("HOME") ?? "/") + "/.cache") + "/segue/files"
  }

  // MARK: Copies

  /// An empty copy that has room for a file of this size. Throws `limitExceeded` where there is none, `accessDenied`
  /// for a folder that others can reach, `system`.
  func begin(_ size: UInt64) throws(SegueError) -> FileCopy {
    let folder = try makeFolder()
    let name = Identifier.random().hex + Self.partial
    return try lock.withLock { () throws(SegueError) in
      try makeRoom(size, in: folder)
      guard let file = folder.open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600) else {
        throw Self.failure("made")
      }
      let copy = FileCopy(file, name, folder, self)
      coming[name] = size
      do throws(SegueError) {
        try copy.reserve(size)
      } catch {
        remove(name, folder)
        throw error
      }
      return copy
    }
  }

  /// It is whole, or nobody wants it.
  func ended(_ name: String) { lock.withLock { coming[name] = nil } }

  private func remove(_ name: String, _ folder: FileDescriptor) {
    unlinkat(folder.raw, name, 0)
    coming[name] = nil
  }

  /// Removes what a daemon that was killed has left half, and what is too old.
  func clean() {
    guard let folder = try? openFolder() else { return }
    lock.withLock {
      for name in File.names(in: path) where name.hasSuffix(Self.partial) && coming[name] == nil {
        unlinkat(folder.raw, name, 0)
      }
      _ = copies(in: folder)
    }
  }

  // MARK: Room

  /// Under the lock.
  private func makeRoom(_ size: UInt64, in folder: FileDescriptor) throws(SegueError) {
    var copies = copies(in: folder)
    let others: UInt64 = coming.values.reduce(0) { $0 + $1 }
    guard size <= bounds.bytes, others <= bounds.bytes - size, coming.count < bounds.copies else {
      throw SegueError(
        .limitExceeded, "The file is larger than the cache's room: \(size) bytes.",
        advice: "Share its folder with this device, or bring it by other means.")
    }
    let removable: UInt64 = copies.reduce(0) { $0 + $1.bytes }
    guard let free = free(folder), free &+ removable >= bounds.reserve, size <= free &+ removable - bounds.reserve
    else {
      throw SegueError(
        .limitExceeded, "This device's disk has no room for the file of \(size) bytes.",
        advice: "Make room on the disk of \(DisplayText.clean(path, maximum: Limits.pathLength)), then try again.")
    }
    while let oldest = copies.first, !hasRoom(size, besides: copies, others, in: folder) {
      remove(copy: oldest.name, in: folder)
      copies.removeFirst()
    }
  }

  private func hasRoom(_ size: UInt64, besides copies: [Copy], _ others: UInt64, in folder: FileDescriptor) -> Bool {
    guard copies.count + coming.count < bounds.copies, let free = free(folder) else { return false }
    let taken = copies.reduce(others) { $0 + $1.bytes }
    return taken <= bounds.bytes && size <= bounds.bytes - taken && free >= bounds.reserve
      && size <= free - bounds.reserve
  }

  /// Bytes that this user may still write on the disk.
  private func free(_ folder: FileDescriptor) -> UInt64? {
    var status = statvfs()
    guard fstatvfs(folder.raw, &status) == 0 else { return nil }
    return UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue
  }

  /// The copies, the oldest first; those whose time is over are removed.
  private func copies(in folder: FileDescriptor) -> [Copy] {
    let now = time(nil)
    var copies: [Copy] = []
    for name in File.names(in: path) where Identifier(hex: name) != nil {
      guard let status = Self.status(name, in: folder), FileKind(status) == .folder else { continue }
      guard now - status.st_mtim.tv_sec <= Int(bounds.life / 1000) else {
        remove(copy: name, in: folder)
        continue
      }
      var bytes: UInt64 = 0
      for file in File.names(in: "\(path)/\(name)") {
        guard let status = Self.status("\(name)/\(file)", in: folder), FileKind(status) == .file else { continue }
        bytes += UInt64(clamping: status.st_size)
      }
      copies.append(Copy(name: name, bytes: bytes, seconds: status.st_mtim.tv_sec))
    }
    return copies.sorted { ($0.seconds, $0.name) < ($1.seconds, $1.name) }
  }

  private static func status(_ name: String, in folder: FileDescriptor) -> stat? {
    var status = stat()
    return fstatat(folder.raw, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// With its file; what else somebody has put there stays.
  private func remove(copy name: String, in folder: FileDescriptor) {
    for file in File.names(in: "\(path)/\(name)") where file != "." && file != ".." {
      unlinkat(folder.raw, "\(name)/\(file)", 0)
    }
    unlinkat(folder.raw, name, AT_REMOVEDIR)
  }

  // MARK: The folder

  private func makeFolder() throws(SegueError) -> FileDescriptor {
    try File.makeParents(of: path)
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Self.failure("made") }
    return try openFolder()
  }

  private func openFolder() throws(SegueError) -> FileDescriptor {
    guard let folder = FileDescriptor(Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) else {
      throw Self.failure("opened")
    }
    guard let status = folder.status, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      throw SegueError(
        .accessDenied,
        "The folder for files that are brought belongs to another user or can be reached by others.",
        advice: "Remove \(DisplayText.clean(path, maximum: Limits.pathLength)).")
    }
    return folder
  }

  static func failure(_ what: String) -> SegueError {
    if [ENOSPC, EDQUOT, EFBIG].contains(errno) {
      return SegueError(
        .limitExceeded, "This device's disk has no room for the file.", advice: "Make room on it, then try again.")
    }
    return SegueError(.system, "The copy of the file cannot be \(what): \(systemMessage()).")
  }
}
