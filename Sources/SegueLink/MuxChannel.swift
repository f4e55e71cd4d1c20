import NIOCore
import SegueCore

/// One channel of a `Mux`: the bytes that wait to be sent, and which sides have finished.
struct MuxChannel {
  var flow: Flow
  /// Whether the frame that opens it has left.
  var announced: Bool
  /// Whether the owner has finished; bytes that wait are still sent.
  var finishing = false
  /// Whether the finish frame has left.
  private(set) var finished = false
  var remoteFinished = false
  /// Whether the other side reads no more.
  var remoteStopped = false
  /// Bytes that have left, and that were not reported to the owner yet.
  var unreported = 0
  private var pending: [[UInt8]] = []
  private var firstPending = 0
  private var offset = 0
  private var pendingBytes = 0

  init(flow: Flow, announced: Bool) {
    self.flow = flow
    self.announced = announced
  }

  /// Waiting pieces are merged up to this many bytes, and credit for fewer is not used while more bytes wait.
  private static let smallWrite = 4096

  /// Queues bytes; false if more than `limit` would wait. After `finishing` it ignores them.
  mutating func append(_ bytes: [UInt8], limit: Int) -> Bool {
    guard !finishing else { return true }
    guard pendingBytes + bytes.count <= limit else { return false }
    // Small pieces are merged: many of them would take far more memory than their bytes.
    if let last = pending.indices.last, pending[last].count + bytes.count <= Self.smallWrite {
      pending[last] += bytes
    } else {
      pending.append(bytes)
    }
    pendingBytes += bytes.count
    return true
  }

  /// How many pieces wait.
  var pieces: Int { pending.count - firstPending }

  /// Whether `write` would write. With little credit it waits for more, instead of sending small pieces.
  var canWrite: Bool {
    guard announced else { return false }
    if pendingBytes > 0 { return flow.credit >= Flow.cost(min(pendingBytes, Self.smallWrite)) }
    return finishing && !finished
  }

  /// Appends a frame to `buffer` and returns the bytes that it carries; nil if it may not.
  mutating func write(_ number: UInt32, to buffer: inout ByteBuffer) -> Int? {
    guard canWrite else { return nil }
    guard pendingBytes > 0 else {
      finished = true
      Frame.writeHeader(.finish, number, length: 0, to: &buffer)
      return 0
    }
    let count = min(pendingBytes, Limits.dataLength, flow.credit - Flow.overhead)
    // For two frames, as they leave together: a buffer that grows with each of them is copied with each.
    buffer.reserveCapacity(
      minimumWritableBytes: min(pendingBytes, 2 * Limits.dataLength) + 2 * Frame.headerLength)
    Frame.writeHeader(.data, number, length: count, to: &buffer)
    var left = count
    while left > 0, firstPending < pending.count {
      let chunk = pending[firstPending]
      let take = min(left, chunk.count - offset)
      buffer.writeBytes(chunk[offset..<(offset + take)])
      left -= take
      offset += take
      guard offset == chunk.count else { break }
      pending[firstPending] = []
      firstPending += 1
      offset = 0
    }
    if firstPending == pending.count {
      pending = []
      firstPending = 0
    }
    pendingBytes -= count
    flow.sent(count)
    return count
  }
}
