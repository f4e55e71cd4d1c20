import Glibc
import NIOCore

/// What was written to a channel and has not left yet, in order.
struct PendingWrites {
  private struct Write {
    var buffer: ByteBuffer
    var promise: EventLoopPromise<Void>?
  }

  private var writes = CircularBuffer<Write>()
  /// So many of the first were flushed.
  private var flushed = 0
  /// Bytes that wait, flushed or not.
  private(set) var bytes = 0

  /// So many buffers leave by one call of the system's.
  private static let most = 16

  /// Whether something was flushed and has not left.
  var isDue: Bool { flushed > 0 }

  mutating func append(_ buffer: ByteBuffer, _ promise: EventLoopPromise<Void>?) {
    writes.append(Write(buffer: buffer, promise: promise))
    bytes += buffer.readableBytes
  }

  mutating func flush() { flushed = writes.count }

  /// Sends what was flushed, or the first of it. Whether the socket takes more now, and whom to tell that all of theirs has
  /// left.
  mutating func send(to socket: Socket) throws(IOError) -> (takesMore: Bool, told: [EventLoopPromise<Void>]) {
    var parts: [iovec] = []
    var total = 0
    for write in writes.prefix(min(flushed, Self.most)) where write.buffer.readableBytes > 0 {
      // The bytes stay where they are for as long as the buffer is held here.
      write.buffer.withUnsafeReadableBytesWithStorageManagement { bytes, _ in
        parts.append(iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count))
        total += bytes.count
      }
    }
    guard let sent = parts.isEmpty ? 0 : try socket.write(&parts) else { return (false, []) }
    return (sent == total, remove(sent))
  }

  private mutating func remove(_ sent: Int) -> [EventLoopPromise<Void>] {
    bytes -= sent
    var left = sent
    var told: [EventLoopPromise<Void>] = []
    while flushed > 0, let first = writes.first, first.buffer.readableBytes <= left {
      left -= first.buffer.readableBytes
      if let promise = first.promise { told.append(promise) }
      writes.removeFirst()
      flushed -= 1
    }
    if left > 0, !writes.isEmpty { writes[writes.startIndex].buffer.moveReaderIndex(forwardBy: left) }
    return told
  }

  /// Forgets all; those whom to tell.
  mutating func removeAll() -> [EventLoopPromise<Void>] {
    defer { self = PendingWrites() }
    return writes.compactMap { $0.promise }
  }
}
