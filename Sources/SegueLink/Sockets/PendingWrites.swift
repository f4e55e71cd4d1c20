import Glibc
import NIOCore

/// The buffers that were written to a channel and have not left yet, in order.
struct PendingWrites {
  private struct Write {
    var buffer: ByteBuffer
    var promise: EventLoopPromise<Void>?
  }

  private var writes = CircularBuffer<Write>()
  /// How many of the first writes were flushed.
  private var flushed = 0
  /// Bytes that wait, flushed or not.
  private(set) var bytes = 0

  /// How many buffers leave by one system call at most.
  private static let most = 16

  /// Whether a flushed buffer has not left yet.
  var isDue: Bool { flushed > 0 }

  mutating func append(_ buffer: ByteBuffer, _ promise: EventLoopPromise<Void>?) {
    writes.append(Write(buffer: buffer, promise: promise))
    bytes += buffer.readableBytes
  }

  mutating func flush() { flushed = writes.count }

  /// Sends the flushed buffers, or the first of them. Returns whether the socket takes more now, and the promises of
  /// the writes that have left whole.
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

  /// Forgets all writes, and returns their promises.
  mutating func removeAll() -> [EventLoopPromise<Void>] {
    defer { self = PendingWrites() }
    return writes.compactMap { $0.promise }
  }
}
