import CLinux
import SegueCore

// Reading and writing files whole. If a call of these fails, errno says why. They block where the file does.

extension FileDescriptor {
  /// The status of the file behind the descriptor; nil, with errno, if it cannot be read.
  public var status: stat? {
    var status = stat()
    return fstat(raw, &status) == 0 ? status : nil
  }

  /// Reads into `buffer` until it is full or the file ends, from the file's offset, or from a given one without moving
  /// the file's. Returns the number of bytes; nil, with errno, if the file cannot be read.
  public func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int? = nil) -> Int? {
    var count = 0
    while count < buffer.count {
      let place = buffer.baseAddress?.advanced(by: count)
      let part =
        if let offset {
          pread(raw, place, buffer.count &- count, off_t(offset &+ count))
        } else {
          read(raw, place, buffer.count &- count)
        }
      if part < 0, segue_errno() == EINTR { continue }
      guard part >= 0 else { return nil }
      if part == 0 { break }
      count &+= part
    }
    return count
  }

  /// The bytes from the offset to the end, at most `maximum`: ask for one more than allowed to find a file that is too
  /// long. Nil, with errno, if the file cannot be read.
  public func bytes(maximum: Int, at offset: Int? = nil) -> [UInt8]? {
    withUnsafeTemporaryAllocation(byteCount: maximum, alignment: 16) { buffer in
      guard let count = fill(buffer, at: offset) else { return nil }
      return Array(buffer[..<count])
    }
  }

  /// Reserves disk space for that many bytes of the file, whose size stays. False, with errno, if there is not enough,
  /// or if the file system cannot do that.
  public func reserve(_ length: Int64) -> Bool { segue_reserve(raw, length) == 0 }

  /// Writes all of the bytes: at the file's offset, or at a given one without moving the file's. False, with errno, if
  /// they could not all be written.
  public func put(_ bytes: [UInt8], at offset: Int? = nil) -> Bool {
    var count = 0
    while count < bytes.count {
      let part = bytes.withUnsafeBufferPointer { buffer in
        let place = buffer.baseAddress?.advanced(by: count)
        return if let offset {
          pwrite(raw, place, buffer.count &- count, off_t(offset &+ count))
        } else {
          write(raw, place, buffer.count &- count)
        }
      }
      if part < 0, segue_errno() == EINTR { continue }
      // A write that returns 0 would be repeated for ever.
      guard part > 0 else { return false }
      count &+= part
    }
    return true
  }
}
