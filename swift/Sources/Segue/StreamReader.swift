import CSegueLibrary
import Foundation
import Glibc

/// The end of a stream that is read.
package final class StreamReader: StreamEnd, @unchecked Sendable {
  /// Bytes that were read and that nobody has taken: of a message whose reading was cancelled or refused, and what `ready` looked at.
  private var buffer: [UInt8] = []
  private var taken = 0
  /// Why it was lost. A socket tells that once, and the end of the stream after that.
  private var loss: (any Error)?
  private var count: Int { buffer.count - taken }
  /// The most that is read at once.
  package static let piece = 1 << 16

  init(_ descriptor: Int32) { super.init(descriptor, events: POLLIN) }

  /// The bytes that have come, so many at most; nil at the end of the stream.
  package func part(_ most: Int = piece) throws -> StreamStep<Data?> {
    if count == 0 {
      switch try fill(min(most, Self.piece)) {
      case .waits: return .waits
      case .done(false): return .done(nil)
      case .done(true): break
      }
    }
    return .done(take(min(most, count)))
  }

  /// A message, as the library writes it; nil at the end of the stream.
  func message(_ maximum: Int) throws -> StreamStep<Data?> {
    let header = 4
    while count < header {
      switch try fill(header - count) {
      case .waits: return .waits
      case .done(false):
        guard count == 0 else { throw SegueError(result: -EBADMSG) }
        return .done(nil)
      case .done(true): break
      }
    }
    let length = buffer[taken..<taken + header].reduce(0) { $0 << 8 | Int($1) }
    guard length <= maximum else { throw SegueError(result: -E2BIG) }
    if count < header + length {
      switch try fill(min(header + length - count, Self.piece)) {
      case .waits: return .waits
      case .done(false): throw SegueError(result: -EBADMSG)
      // One piece at a time, so that the streams have turns.
      case .done(true): if count < header + length { return .waits }
      }
    }
    _ = take(header)
    return .done(take(length))
  }

  /// Whether there is something to be read: false at the end of the stream. The bytes are kept.
  package func ready() throws -> StreamStep<Bool> { count > 0 ? .done(true) : try fill(Self.piece) }

  /// The same at this moment; nil where the stream has ended or is lost, which a read tells.
  package var hasBytes: Bool? {
    try? whileOpen {
      switch try ready() {
      case .waits: false
      case .done(true): true
      case .done(false): throw SegueError(.closed, "The stream has ended.")
      }
    }
  }

  private func take(_ length: Int) -> Data {
    let data = Data(buffer[taken..<taken + length])
    taken += length
    if taken == buffer.count { (buffer, taken) = ([], 0) }
    return data
  }

  /// Reads no more than so many bytes, and none that would have to be waited for; false at the end of the stream.
  private func fill(_ most: Int) throws -> StreamStep<Bool> {
    if let loss { throw loss }
    var here: Int32 = 0
    _ = ioctl(descriptor, UInt(FIONREAD), &here)
    // Where nothing is here, one byte tells the end, and a loss, from that.
    let room = min(most, max(Int(here), 1))
    var bytes = [UInt8](repeating: 0, count: room)
    var length = 0
    let result = segue_stream_read_exactly(descriptor, &bytes, room, 0, &length)
    if result == -ETIMEDOUT { return .waits }
    do { try check(result) } catch {
      loss = error
      throw error
    }
    guard length > 0 else { return .done(false) }
    if taken > 0 {
      buffer.removeFirst(taken)
      taken = 0
    }
    buffer += bytes[..<length]
    return .done(true)
  }
}
