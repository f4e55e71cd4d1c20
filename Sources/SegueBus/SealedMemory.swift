import CLinux
import SegueCore

/// Bytes in a memfd that no process can change any more: how large data crosses a bus. The reader checks the seals
/// before anything else, because a descriptor from outside may be a FIFO, a device, a directory, or a file that
/// shrinks.
public enum SealedMemory {
  private static let seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE

  /// A sealed memfd with these bytes. Throws `.system`. Any thread.
  public static func make(_ bytes: [UInt8]) throws(SegueError) -> FileDescriptor {
    let file = FileDescriptor(owning: segue_memfd_create("segue"))
    guard file.raw >= 0 else { throw failure("made") }
    guard file.put(bytes) else { throw failure("written") }
    guard segue_fcntl(file.raw, F_ADD_SEALS, seals | F_SEAL_SEAL) == 0 else { throw failure("sealed") }
    return file
  }

  /// The bytes of a sealed memfd. Throws `.invalidArgument` for anything that is not one, `.limitExceeded` for one
  /// above `limit` bytes, `.system`. Never blocks. Does not use or move the file's offset. Any thread.
  public static func read(_ file: FileDescriptor, limit: Int) throws(SegueError) -> [UInt8] {
    let present = segue_fcntl(file.raw, F_GET_SEALS, 0)
    guard present >= 0, present & seals == seals else {
      throw SegueError(.invalidArgument, "The descriptor is not sealed memory.")
    }
    guard let status = file.status, status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG), status.st_size >= 0 else {
      throw failure("examined")
    }
    guard status.st_size <= limit else {
      throw SegueError(.limitExceeded, "The sealed memory holds \(Int(status.st_size)) bytes, more than \(limit).")
    }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    // A sealed memfd cannot have become shorter.
    guard bytes.withUnsafeMutableBytes({ file.fill($0, at: 0) }) == bytes.count else { throw failure("read") }
    return bytes
  }

  private static func failure(_ verb: String) -> SegueError {
    SegueError(.system, "Sealed memory could not be \(verb): error \(segue_errno()).")
  }
}
