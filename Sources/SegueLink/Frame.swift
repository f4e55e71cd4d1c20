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
  private var buffer = ByteBuffer()

  init() {}

  mutating func append(_ bytes: ByteBuffer) {
    if buffer.readableBytes == 0 {
      buffer = bytes
    } else {
      buffer.discardReadBytes()
      buffer.writeImmutableBuffer(bytes)
    }
  }

  /// The next frame; nil until more bytes have come. Throws `protocolViolation`; the stream cannot be read any further
  /// then.
  mutating func next() throws(SegueError) -> Frame? {
    let start = buffer.readerIndex
    guard let length: UInt32 = buffer.getInteger(at: start) else { return nil }
    guard length <= UInt32(limit) else {
      throw SegueError(.protocolViolation, "A frame of \(length) bytes; \(limit) are allowed.")
    }
    guard buffer.readableBytes >= Frame.headerLength + Int(length),
      let kind: UInt8 = buffer.getInteger(at: start + 4),
      let channel: UInt32 = buffer.getInteger(at: start + 5)
    else { return nil }
    buffer.moveReaderIndex(forwardBy: Frame.headerLength)
    guard let payload = buffer.readSlice(length: Int(length)) else { return nil }
    if buffer.readableBytes == 0 { buffer = ByteBuffer() }
    return Frame(kind: .init(rawValue: kind), channel: channel, payload: payload)
  }
}
