import NIOCore
import SegueCore
import Testing

@testable import SegueLink

/// Bytes of a link, as frames.
@Suite struct FrameTests {
  private func encoded(_ frames: [Frame]) -> ByteBuffer {
    var buffer = ByteBuffer()
    for frame in frames { frame.write(to: &buffer) }
    return buffer
  }

  @Test func framesByteByByte() throws {
    let frames = [
      Frame(kind: .ping), Frame(kind: .data, channel: 7, payload: ByteBuffer(bytes: [1, 2, 3])),
      Frame(kind: .control, payload: ByteBuffer(repeating: 9, count: 8192)),
    ]
    let bytes = encoded(frames)
    for step in [1, 2, 3, 9, 10, 8192, 100_000] {
      var decoder = FrameDecoder()
      var rest = bytes
      var got: [Frame] = []
      while rest.readableBytes > 0 {
        let slice = rest.readSlice(length: min(step, rest.readableBytes))
        decoder.append(try #require(slice))
        while let frame = try decoder.next() { got.append(frame) }
      }
      #expect(got == frames)
    }
  }

  /// Frames and their bytes are the same however the reads cut them, and a frame that was given out is not changed by
  /// the reads that follow.
  @Test func longFramesOverManyReads() throws {
    let frames = (0..<8).map { number in
      let bytes = (0..<Limits.frameLength - number).map { UInt8(truncatingIfNeeded: $0 &* 31 + number) }
      return Frame(kind: .data, channel: 1, payload: ByteBuffer(bytes: bytes))
    }
    for step in [1000, 4096, Limits.frameLength, Limits.frameLength + Frame.headerLength, 3 * Limits.frameLength + 5] {
      var decoder = FrameDecoder()
      decoder.limit = Limits.frameLength
      var (rest, got) = (encoded(frames), [Frame]())
      while let slice = rest.readSlice(length: min(step, rest.readableBytes)), slice.readableBytes > 0 {
        decoder.append(slice)
        while let frame = try decoder.next() { got.append(frame) }
      }
      #expect(got == frames)
    }
  }

  /// A frame that goes on in the next read holds its own bytes, and not those of both reads.
  @Test func aFrameOfTwoReadsHasItsOwnMemory() throws {
    let long = Frame(kind: .data, channel: 1, payload: ByteBuffer(repeating: 1, count: Limits.frameLength))
    let short = Frame(kind: .data, channel: 1, payload: ByteBuffer(repeating: 2, count: 1000))
    var bytes = encoded([long, short, long])
    let first = bytes.readSlice(length: Limits.frameLength + Frame.headerLength + 10)
    var decoder = FrameDecoder()
    decoder.limit = Limits.frameLength
    decoder.append(try #require(first))
    #expect(try decoder.next() == long)
    #expect(try decoder.next() == nil)
    decoder.append(bytes)
    let joined = try decoder.next()
    #expect(joined == short)
    #expect(try #require(joined).payload.storageCapacity <= 2048)
    #expect(try decoder.next() == long)
  }

  @Test func attack27_framesTooLong() throws {
    for length in [8193, 65536, UInt32(Int32.max), UInt32.max] {
      var decoder = FrameDecoder()
      // The length alone is enough.
      decoder.append(ByteBuffer(integer: length))
      #expect(code { try decoder.next() } == .protocolViolation)
    }
    var decoder = FrameDecoder()
    decoder.limit = Limits.frameLength
    decoder.append(encoded([Frame(kind: .data, channel: 1, payload: ByteBuffer(repeating: 0, count: 65536))]))
    #expect(try decoder.next()?.payload.readableBytes == 65536)
  }

  @Test func attack27_randomBytesNeverTrap() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      var decoder = FrameDecoder()
      var mux = Mux(dialler: true, settings: LinkSettings(), peerWindow: Limits.channelWindow)
      var bytes = ByteBuffer()
      for _ in 0..<40 {
        // Mostly sane headers, so that the mux is reached, with payloads of noise.
        let count = Int.random(in: 0...12, using: &generator)
        bytes.writeInteger(Bool.random() ? UInt32(count) : UInt32.random(in: 0...100))
        bytes.writeInteger(UInt8.random(in: 0...12, using: &generator))
        bytes.writeInteger(UInt32.random(in: 0...8, using: &generator))
        bytes.writeBytes((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
      }
      decoder.append(bytes)
      var out = ByteBuffer()
      while let frame = try? decoder.next() {
        guard (try? mux.receive(frame)) != nil else { break }
        for case .opened(let number, _) in mux.takeEffects() { mux.send([1, 2, 3], on: number) }
        while mux.next(into: &out) {}
        if out.readableBytes > 100_000 { break }
      }
      if let welcome = try? Welcome(bytes) { #expect(welcome.name.utf8.count <= Limits.titleAdvised) }
    }
  }

  @Test func welcome() throws {
    let welcome = Welcome(window: 1 << 18, name: "Küche\u{202e}\n" + String(repeating: "x", count: 400))
    let read = try Welcome(welcome.payload)
    #expect(read.window == 1 << 18)
    #expect(read.name.hasPrefix("Küche xxx"))
    #expect(read.name.utf8.count <= Limits.titleAdvised)
    var longer = welcome.payload
    longer.writeBytes([1, 2, 3])
    #expect(try Welcome(longer) == read)
    // A former version sent no flags.
    let plain = try #require(welcome.payload.getSlice(at: 0, length: welcome.payload.readableBytes - 1))
    #expect(try read.isDistinct && !Welcome(plain).isDistinct)
    for cut in 0..<plain.readableBytes {
      let short = try #require(welcome.payload.getSlice(at: 0, length: cut))
      #expect(code { try Welcome(short) } == .protocolViolation)
    }
    #expect(try Welcome.common(1...3, 2...5) == 3)
    #expect(code { try Welcome.common(1...1, 2...2) } == .versionMismatch)
    #expect(code { try Welcome.common(2...2, 1...1) } == .versionMismatch)
  }
}
