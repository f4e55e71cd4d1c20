import Glibc
import SegueBus
import SegueCore
import SegueState

/// The directory of files from other devices, `$XDG_CACHE_HOME/segue/files`: each file is in a directory of its own
/// with a random name. Files that are still arriving are beside those directories, and have names that reveal nothing.
///
/// Old copies give way to new ones, but no copy is kept that would fill the disk. Every call may block on the disk, so
/// it is made on a worker. Any thread.
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
  /// How much room is kept for what is coming, by the names that it has meanwhile.
  private var coming: [String: UInt64] = [:]

  static let partial = ".part"

  init(_ path: String, bounds: Bounds = Bounds()) {
    self.path = path
    self.bounds = bounds
  }

  /// The user's own.
  static var place: String {
    let given = environment("XDG_CACHE_HOME").flatMap { $0.begins(with: "/") ? $0 : nil }
    return (given ?? (environment("HOME") ?? "/") + "/.cache") + "/segue/files"
  }

  // MARK: Copies

  /// An empty copy of a file of this size. The copy takes room as it grows, and displaces no other copy before: an
  /// announced size alone costs nothing. Throws `limitExceeded` where there could be no room for it, `accessDenied` for
  /// a directory that others can reach, `system`.
  func begin(_ size: UInt64) throws(SegueError) -> FileCopy {
    let folder = try makeFolder()
    let name = Identifier.random().hex + Self.partial
    return try lock.withLock { () throws(SegueError) in
      try check(size, copies(in: folder), in: folder)
      guard coming.count < bounds.copies else { throw Self.tooMuch(size) }
      guard let file = folder.open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600) else {
        throw Self.failure("made")
      }
      coming[name] = 0
      return FileCopy(file, name, size, folder, self)
    }
  }

  /// Keeps room for so many bytes of what is coming. Old copies give way, if that helps. Throws `limitExceeded`.
  func keepRoom(_ bytes: UInt64, for name: String, in folder: FileDescriptor) throws(SegueError) {
    try lock.withLock { () throws(SegueError) in
      let more = bytes - min(bytes, coming[name] ?? 0)
      try makeRoom(more, in: folder)
      coming[name] = bytes
    }
  }

  /// The copy is complete, or discarded.
  func ended(_ name: String) { lock.withLock { coming[name] = nil } }

  /// Makes the directory, and removes incomplete copies that a killed daemon has left, and copies that are too old. A
  /// sandbox shows only directories that were there when it was made, so that it has to be there before the first file.
  func clean() {
    guard let folder = try? makeFolder() else { return }
    lock.withLock {
      for name in File.names(in: path) where name.ends(with: Self.partial) && coming[name] == nil {
        unlinkat(folder.raw, name, 0)
      }
      _ = copies(in: folder)
    }
  }

  // MARK: Room

  private static func tooMuch(_ size: UInt64) -> SegueError {
    SegueError(
      .limitExceeded, "The file is larger than the cache's room: \(size) bytes.",
      advice: "Share its folder with this device, or bring it by other means.")
  }

  /// Throws `limitExceeded` if there is no room for so many bytes, whatever gives way. Under the lock.
  private func check(_ size: UInt64, _ copies: [Copy], in folder: FileDescriptor) throws(SegueError) {
    guard size <= bounds.bytes, taken <= bounds.bytes - size else { throw Self.tooMuch(size) }
    let removable: UInt64 = copies.reduce(0) { $0 + $1.bytes }
    guard let free = free(folder), free &+ removable >= bounds.reserve, size <= free &+ removable - bounds.reserve
    else {
      throw SegueError(
        .limitExceeded, "This device's disk has no room for the file of \(size) bytes.",
        advice: "Make room on the disk of \(DisplayText.clean(path, maximum: Limits.pathLength)), then try again.")
    }
  }

  /// Under the lock.
  private func makeRoom(_ size: UInt64, in folder: FileDescriptor) throws(SegueError) {
    var copies = copies(in: folder)
    try check(size, copies, in: folder)
    while let oldest = copies.first, !hasRoom(size, besides: copies, in: folder) {
      remove(copy: oldest.name, in: folder)
      copies.removeFirst()
    }
  }

  /// Bytes of what is coming.
  private var taken: UInt64 { coming.values.reduce(0) { $0 + $1 } }

  private func hasRoom(_ size: UInt64, besides copies: [Copy], in folder: FileDescriptor) -> Bool {
    guard copies.count + coming.count <= bounds.copies, let free = free(folder) else { return false }
    let taken = copies.reduce(taken) { $0 + $1.bytes }
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

  /// Removes a copy's directory and its files; other items in it stay, and keep the directory.
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
