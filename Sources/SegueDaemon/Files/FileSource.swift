import Crypto
import Glibc
import SegueBus
import SegueCore
import SegueState

/// Reads a file for another device, through a descriptor that its application has opened. Every call may block on the
/// disk, so it is made on a worker, one call at a time.
///
/// The file is read twice, since a program that writes to it through a mapping moves none of its times. A byte that is
/// the same in both readings has not changed between them, or was changed and changed back: so the bytes sent are the
/// file as it was when the first reading ended. The last bytes are sent after the second reading, or one by one if that
/// takes long, so that the other device sees progress.
final class FileSource: @unchecked Sendable {
  enum Piece: Sendable {
    case bytes([UInt8])
    /// Some of it was read again.
    case checked
    /// All of it was read twice, and it is still the file that it was. Its SHA-256.
    case end([UInt8])
  }

  private let file: FileDescriptor
  private let signTime: UInt64
  private var hash = SHA256()
  private var size: UInt64 = 0
  private var version: [UInt8] = []
  private var offset: UInt64 = 0
  /// The last bytes read, which have not been sent.
  private var rest: [UInt8] = []
  /// The second reading.
  private var again = SHA256()
  private var offsetAgain: UInt64 = 0
  private var nextSign: Instant = 0

  /// `signTime`: the time between the single bytes that show progress during the second reading.
  init(_ file: FileDescriptor, signTime: UInt64 = Limits.fileSignTime) {
    self.file = file
    self.signTime = signTime
  }

  /// The file as it is now, from this offset on if it is this version. Throws `invalidArgument` for what is no regular
  /// file.
  func begin(at offset: UInt64, of version: [UInt8]) throws(SegueError) -> FileHead.Description {
    (size, self.version) = try look()
    let isSame = version == self.version && offset <= size
    return FileHead.Description(size: size, version: self.version, offset: isSame ? offset : 0)
  }

  /// Reads what the other device has already, for the digest of the whole. False: there is more of it.
  func skip(to end: UInt64) throws(SegueError) -> Bool {
    guard offset < end else { return true }
    _ = try piece(Int(clamping: min(end - offset, UInt64(Limits.filePiece))))
    return offset >= end
  }

  /// The next piece, of at most `maximum` bytes. Throws `handoffFailed` where the file has changed.
  func next(_ maximum: Int) throws(SegueError) -> Piece {
    if offset < size {
      let bytes = try piece(Int(clamping: min(size - offset, UInt64(maximum))))
      guard offset == size else { return .bytes(bytes) }
      (rest, nextSign) = (bytes, .now + signTime)
      return .checked
    }
    if offsetAgain < size { return try check() }
    if !rest.isEmpty { return .bytes(takeRest(maximum)) }
    guard try look() == (size, version) else { throw Self.changed }
    return .end(Array(hash.finalize()))
  }

  /// Reads some of it once more.
  private func check() throws(SegueError) -> Piece {
    let bytes = try read(Int(clamping: min(size - offsetAgain, UInt64(Limits.filePiece))), at: offsetAgain)
    again.update(data: bytes)
    offsetAgain += UInt64(bytes.count)
    if offsetAgain == size {
      guard again.finalize() == hash.finalize() else { throw Self.changed }
    } else if Instant.now >= nextSign, !rest.isEmpty {
      nextSign = .now + signTime
      return .bytes(takeRest(1))
    }
    return .checked
  }

  private func takeRest(_ maximum: Int) -> [UInt8] {
    let bytes = Array(rest.prefix(maximum))
    rest.removeFirst(bytes.count)
    return bytes
  }

  private func piece(_ count: Int) throws(SegueError) -> [UInt8] {
    let bytes = try read(count, at: offset)
    hash.update(data: bytes)
    offset += UInt64(count)
    return bytes
  }

  private func read(_ count: Int, at offset: UInt64) throws(SegueError) -> [UInt8] {
    guard let bytes = file.bytes(maximum: count, at: Int(clamping: offset)) else {
      throw SegueError(.system, "The file cannot be read: \(systemMessage()).")
    }
    // It has become shorter.
    guard bytes.count == count else { throw Self.changed }
    return bytes
  }

  private func look() throws(SegueError) -> (UInt64, [UInt8]) {
    guard let status = file.status, FileKind(status) == .file, let size = UInt64(exactly: status.st_size) else {
      throw SegueError(.invalidArgument, "It is not a regular file.")
    }
    // Hashed, since the file's place on the disk is no other device's business.
    let (modified, changed) = (status.st_mtim, status.st_ctim)
    let text =
      "\(status.st_dev) \(status.st_ino) \(size) \(modified.tv_sec) \(modified.tv_nsec) \(changed.tv_sec) \(changed.tv_nsec)"
    return (size, Array(SHA256.hash(data: Array(text.utf8))))
  }

  private static let changed = SegueError(.handoffFailed, "The file changed while it was read.")
}
