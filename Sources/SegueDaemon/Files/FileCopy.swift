import Crypto
import Glibc
import SegueBus
import SegueCore
import SegueState

/// One file on its way into the cache. Every call may block on the disk: on a worker, one at a time.
final class FileCopy: @unchecked Sendable {
  private let file: FileDescriptor
  private let name: String
  /// The whole file's, as the other device says.
  private let size: UInt64
  private let folder: FileDescriptor
  private let cache: FileCache
  private var hash = SHA256()
  /// Bytes that are here.
  private(set) var count: UInt64 = 0
  /// Bytes for which the disk keeps room, those that are here included.
  private var room: UInt64 = 0
  private var isOver = false

  init(_ file: FileDescriptor, _ name: String, _ size: UInt64, _ folder: FileDescriptor, _ cache: FileCache) {
    self.file = file
    self.name = name
    self.size = size
    self.folder = folder
    self.cache = cache
  }

  deinit { discard() }

  /// Has the disk keep room for so much of it, and for some that is still to come, where the file system can.
  private func keepRoom(_ needed: UInt64) throws(SegueError) {
    let wanted = max(needed, min(size, room + Limits.fileRoom))
    guard let length = Int64(exactly: wanted) else { throw SegueError(.limitExceeded, "The file is too large.") }
    try cache.keepRoom(wanted, for: name, in: folder)
    guard length == 0 || file.reserve(length) || [EOPNOTSUPP, ENOSYS, ENODEV, EINVAL, EINTR].contains(errno) else {
      throw FileCache.failure("written")
    }
    room = wanted
  }

  /// Throws `limitExceeded`, `system`.
  func append(_ pieces: [ArraySlice<UInt8>]) throws(SegueError) {
    for piece in pieces {
      let bytes = Array(piece)
      let end = count + UInt64(bytes.count)
      if end > room { try keepRoom(end) }
      guard file.put(bytes) else { throw FileCache.failure("written") }
      hash.update(data: bytes)
      count = end
    }
  }

  /// Whole and as the other device has it, it gets its name and its place. Throws `protocolViolation` where the digest
  /// is another, `limitExceeded`, `system`.
  func finish(as given: String, _ digest: [UInt8]) throws(SegueError) -> BroughtFile {
    guard Array(hash.finalize()) == digest else {
      throw SegueError(
        .protocolViolation, "The file is not the one that the other device has sent.", advice: "Bring it again.")
    }
    // An empty one has not asked for its place yet.
    if count == 0 { try keepRoom(0) }
    guard fsync(file.raw) == 0 else { throw FileCache.failure("written") }
    let place = Identifier.random().hex
    guard mkdirat(folder.raw, place, 0o700) == 0 else { throw FileCache.failure("put in its place") }
    guard let own = [given, "file"].first(where: { renameat(folder.raw, name, folder.raw, "\(place)/\($0)") == 0 })
    else {
      let error = FileCache.failure("put in its place")
      unlinkat(folder.raw, place, AT_REMOVEDIR)
      throw error
    }
    isOver = true
    cache.ended(name)
    if let entry = folder.open(place, O_RDONLY | O_DIRECTORY) { fsync(entry.raw) }
    fsync(folder.raw)
    return BroughtFile(path: "\(cache.path)/\(place)/\(own)", size: count, digest: digest)
  }

  /// Deletes the copy, which is no longer needed.
  func discard() {
    guard !isOver else { return }
    isOver = true
    unlinkat(folder.raw, name, 0)
    cache.ended(name)
  }
}
