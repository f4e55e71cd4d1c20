import NIOCore
import SegueCore

/// The unit of the link: `length (4) type (1) channel (4) payload (length)`, numbers big-endian.
/// `docs/link-protocol.md` says what each type carries.
struct Frame: Equatable {
  /// The type of a frame. Types with the highest bit set are optional: a receiver skips one that it does not know.
  struct Kind: RawRepresentable, Hashable {
    let rawValue: UInt8
    static let welcome = Kind(rawValue: 1)
    static let control = Kind(rawValue: 2)
    static let open = Kind(rawValue: 3)
    static let data = Kind(rawValue: 4)
    static let window = Kind(rawValue: 5)
    static let finish = Kind(rawValue: 6)
    static let reset = Kind(rawValue: 7)
    static let ping = Kind(rawValue: 8)
    static let pong = Kind(rawValue: 9)
    static let goodbye = Kind(rawValue: 10)
    static let heartbeat = Kind(rawValue: 128)
    static let stop = Kind(rawValue: 129)

    var isOptional: Bool { rawValue & 0x80 != 0 }
  }

  static let headerLength = 9

  var kind: Kind
  var channel: UInt32 = 0
  var payload = ByteBuffer()

  /// Appends the frame to `buffer`.
  func write(to buffer: inout ByteBuffer) {
    Self.writeHeader(kind, channel, length: payload.readableBytes, to: &buffer)
    buffer.writeImmutableBuffer(payload)
  }

  static func writeHeader(_ kind: Kind, _ channel: UInt32, length: Int, to buffer: inout ByteBuffer) {
    buffer.writeInteger(UInt32(truncatingIfNeeded: length))
    buffer.writeInteger(kind.rawValue)
    buffer.writeInteger(channel)
  }
}

/// Reads frames from a stream of bytes. It holds no more than one frame and the bytes of the last read.
struct FrameDecoder {
  /// The longest payload that is accepted; a longer one is refused as soon as its length is known.
  var limit = Limits.frameLengthBeforeWelcome
  /// The bytes of the last read that no frame has taken.
  private var buffer = ByteBuffer()
  /// The beginning of a frame that goes on in the next read. Its memory is its own, and large enough for the frame: the
  /// bytes of a read belong to the frames that were in it, and would be copied with each that goes on.
  private var begun = ByteBuffer()

  init() {}

  /// Takes the bytes of the next read, once `next` has given all frames of the last one.
  mutating func append(_ bytes: ByteBuffer) {
    if buffer.readableBytes == 0 {
      buffer = bytes
    } else {
      buffer.writeImmutableBuffer(bytes)
    }
  }

  /// The next frame; nil until more bytes have come. Throws `protocolViolation`; the stream cannot be read any further
  /// then.
  mutating func next() throws(SegueError) -> Frame? {
    if begun.readableBytes > 0 { return try nextOfBegun() }
    guard let length = try length(in: buffer) else {
      begin(room: Frame.headerLength)
      return nil
    }
    guard buffer.readableBytes >= Frame.headerLength + length else {
      begin(room: Frame.headerLength + length)
      return nil
    }
    let frame = Self.take(length, from: &buffer)
    if buffer.readableBytes == 0 { buffer = ByteBuffer() }
    return frame
  }

  /// The frame that has begun in an earlier read.
  private mutating func nextOfBegun() throws(SegueError) -> Frame? {
    fill(Frame.headerLength)
    guard let length = try length(in: begun) else { return nil }
    fill(Frame.headerLength + length)
    guard begun.readableBytes == Frame.headerLength + length else { return nil }
    defer { begun = ByteBuffer() }
    return Self.take(length, from: &begun)
  }

  /// Keeps what is left of this read, the beginning of a frame of at least `room` bytes.
  private mutating func begin(room: Int) {
    guard buffer.readableBytes > 0 else { return }
    begun = ByteBufferAllocator().buffer(capacity: room)
    begun.writeImmutableBuffer(buffer)
    buffer = ByteBuffer()
  }

  /// Moves bytes behind the beginning of a frame, until that has `count`.
  private mutating func fill(_ count: Int) {
    let missing = min(count - begun.readableBytes, buffer.readableBytes)
    guard missing > 0, let part = buffer.readSlice(length: missing) else { return }
    begun.reserveCapacity(minimumWritableBytes: count - begun.readableBytes)
    begun.writeImmutableBuffer(part)
    if buffer.readableBytes == 0 { buffer = ByteBuffer() }
  }

  /// The payload's length, as soon as it is known.
  private func length(in bytes: ByteBuffer) throws(SegueError) -> Int? {
    guard let length: UInt32 = bytes.getInteger(at: bytes.readerIndex) else { return nil }
    guard length <= UInt32(limit) else {
      throw SegueError(.protocolViolation, "A frame of \(length) bytes; \(limit) are allowed.")
    }
    return Int(length)
  }

  /// Takes a frame that is whole.
  private static func take(_ length: Int, from bytes: inout ByteBuffer) -> Frame? {
    bytes.moveReaderIndex(forwardBy: MemoryLayout<UInt32>.size)
    guard let kind: UInt8 = bytes.readInteger(), let channel: UInt32 = bytes.readInteger(),
      let payload = bytes.readSlice(length: length)
    else { return nil }
    return Frame(kind: .init(rawValue: kind), channel: channel, payload: payload)
  }
}
