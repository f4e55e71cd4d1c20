import CSegueLibrary
import Foundation
import Glibc

/// The end of a stream that is written.
package final class StreamWriter: StreamEnd, @unchecked Sendable {
  /// The most that a pipe that has room takes whole.
  private static let piece = Int(PIPE_BUF)
  /// The most that one call writes before others have their turn, in pieces.
  private static let pieces = 16
  /// In bytes.
  package static let most = piece * pieces

  init(_ descriptor: Int32) { super.init(descriptor, events: POLLOUT) }

  /// Writes all of the data.
  func all(_ data: Data) -> (StreamCall) throws -> StreamStep<Void> {
    var written = 0
    return { [unowned self] call in
      written += try write(data, from: written)
      call.hasWritten = written > 0
      return written == data.count ? .done(()) : .waits
    }
  }

  /// Writes as much as there is room for, and waits only for the first byte: how many they were.
  package func some(_ data: Data) throws -> StreamStep<Int> {
    let written = try write(data, from: 0)
    return written > 0 || data.isEmpty ? .done(written) : .waits
  }

  /// Waits for room.
  package func ready() throws -> StreamStep<Void> { try hasRoom() ? .done(()) : .waits }

  /// Whether there is room at this moment. An error where the other side reads no more.
  package func hasRoom() throws -> Bool {
    // poll(2) takes a negative one for none.
    guard descriptor >= 0 else { throw SegueError(result: -EBADF) }
    var ready = pollfd(fd: descriptor, events: events, revents: 0)
    guard poll(&ready, 1, 0) > 0 else { return false }
    let result = Int32(ready.revents)
    if result & POLLNVAL != 0 { throw SegueError(result: -EBADF) }
    if result & (POLLERR | POLLHUP) != 0 { throw SegueError(result: -EPIPE) }
    return true
  }

  private func write(_ data: Data, from start: Int) throws -> Int {
    try data.withUnsafeBytes { bytes in
      var written = 0
      for _ in 0..<Self.pieces where start + written < bytes.count {
        let piece = UnsafeRawBufferPointer(rebasing: bytes[(start + written)...].prefix(Self.piece))
        let result = segue_stream_write_all(descriptor, piece.baseAddress, piece.count, 0)
        if result == -ETIMEDOUT { break }
        try check(result)
        written += piece.count
      }
      return written
    }
  }
}
