import CLinux
import SegueBus
import SegueCore

/// Reading and writing whole through a descriptor, within a time. It serves blocking and non-blocking descriptors: with
/// a time limit, poll(2) waits before every single call. Results are 0, an outcome above it, or a negative errno. Any
/// thread.
public struct StreamBytes {
  /// The other side writes no more: SEGUE_STREAM_ENDED.
  public static let ended: Int32 = 1

  private let descriptor: Int32
  /// The moment at which the time is over; nil: never.
  private let end: Instant?

  /// The time runs from now on; negative milliseconds: without end.
  public init(_ descriptor: Int32, milliseconds: Int32) {
    self.descriptor = descriptor
    end = milliseconds < 0 ? nil : .now + UInt64(milliseconds)
  }

  // MARK: Reading

  /// Fills the room, or reads to the end of file, and returns how many bytes it has read.
  public func read(into room: UnsafeMutableRawBufferPointer) -> (result: Int32, count: Int) {
    var count = 0
    while count < room.count {
      if end != nil, case let refusal = wait(for: POLLIN), refusal < 0 { return (refusal, count) }
      let part = CLinux.read(descriptor, room.baseAddress?.advanced(by: count), room.count &- count)
      if part == 0 { return (Self.ended, count) }
      if part > 0 {
        count &+= part
      } else if case let refusal = proceed(POLLIN), refusal < 0 {
        if refusal == 0 &- ECONNRESET { StreamLosses.shared.lost(descriptor) }
        return (refusal, count)
      }
    }
    return (0, count)
  }

  /// A message of at most `maximum` bytes, in memory of C's allocator, which the caller gives back; nil where the
  /// result is not 0. Memory grows as the bytes come, not by the length that the other side claims.
  public func readMessage(maximum: Int) -> (result: Int32, bytes: UnsafeMutableRawBufferPointer?) {
    let (length, outcome) = readLength()
    guard let length else { return (outcome, nil) }
    guard length <= maximum else { return (0 &- E2BIG, nil) }
    var room = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    var count = 0
    repeat {
      let size = min(length, max(2 &* room.count, Self.firstPiece))
      guard let memory = realloc(room.baseAddress, max(size, 1)) else {
        free(room.baseAddress)
        return (0 &- ENOMEM, nil)
      }
      room = UnsafeMutableRawBufferPointer(start: memory, count: size)
      let (result, part) = read(into: UnsafeMutableRawBufferPointer(rebasing: room[count...]))
      guard result == 0 else {
        free(memory)
        return (result == Self.ended ? 0 &- EBADMSG : result, nil)
      }
      count &+= part
    } while count < length
    return (0, room)
  }

  private static let firstPiece = 64 * 1024

  /// The length before a message; nil, with the result that says why, where there is none.
  private func readLength() -> (length: Int?, result: Int32) {
    withUnsafeTemporaryAllocation(byteCount: 4, alignment: 1) { header in
      let (result, count) = read(into: header)
      guard result == 0 else { return (nil, result == Self.ended && count > 0 ? 0 &- EBADMSG : result) }
      return (header.reduce(0) { $0 << 8 | Int($1) }, 0)
    }
  }

  // MARK: Writing

  /// Writes all of the bytes, without raising SIGPIPE.
  public func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    var count = 0
    while count < bytes.count {
      if end != nil, case let refusal = wait(for: POLLOUT), refusal < 0 { return refusal }
      let part = segue_write_quietly(
        descriptor, bytes.baseAddress?.advanced(by: count), bytes.count &- count, end == nil ? 1 : 0)
      if part >= 0 {
        count &+= part
      } else if case let refusal = proceed(POLLOUT), refusal < 0 {
        return refusal
      }
    }
    return 0
  }

  /// Writes a message: its length in four bytes, then its bytes.
  public func writeMessage(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    guard let length = UInt32(exactly: bytes.count) else { return 0 &- E2BIG }
    var header = length.bigEndian
    let result = withUnsafeBytes(of: &header) { write($0) }
    return result == 0 ? write(bytes) : result
  }

  // MARK: Waiting

  /// Waits until the descriptor is ready or has an error, which the call that follows reports.
  private func wait(for events: Int32) -> Int32 {
    // poll(2) ignores negative descriptors.
    guard descriptor >= 0 else { return 0 &- EBADF }
    while true {
      let left = end.map { Int32(clamping: Instant.now.time(until: $0)) } ?? -1
      var waited = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
      let count = poll(&waited, 1, left)
      if count < 0, segue_errno() == EINTR { continue }
      guard count >= 0 else { return 0 &- segue_errno() }
      guard count > 0 else { return 0 &- ETIMEDOUT }
      return Int32(waited.revents) & POLLNVAL == 0 ? 0 : 0 &- EBADF
    }
  }

  /// Handles a call that failed: 0 where it may be made again.
  private func proceed(_ events: Int32) -> Int32 {
    switch segue_errno() {
    case EINTR: 0
    case EAGAIN: end == nil ? wait(for: events) : 0
    case let error: 0 &- error
    }
  }
}
