import NIOCore
import SegueCore
import Testing

@testable import SegueLink

/// Channels of a link, without one: two ends, or one end and what a peer may send it.
@Suite struct MuxTests {
  /// Two muxes back to back.
  private struct Pair {
    var a: Mux
    var b: Mux
    init(_ settings: LinkSettings = LinkSettings()) {
      a = Mux(dialler: true, settings: settings, peerWindow: settings.window)
      b = Mux(dialler: false, settings: settings, peerWindow: settings.window)
    }
    /// Carries frames until none moves.
    mutating func run() throws {
      while try Self.move(&a, &b) || Self.move(&b, &a) {}
    }
    private static func move(_ from: inout Mux, _ to: inout Mux) throws -> Bool {
      var buffer = ByteBuffer()
      guard from.next(into: &buffer) else { return false }
      var decoder = FrameDecoder()
      decoder.limit = Limits.frameLength
      decoder.append(buffer)
      while let frame = try decoder.next() { try to.receive(frame) }
      return true
    }
  }

  @Test func channelLife() throws {
    var pair = Pair()
    let number = try pair.a.openChannel(first: [1])
    pair.a.send([2, 3], on: number)
    pair.a.finish(number)
    try pair.run()
    #expect(pair.b.takeEffects() == [.opened(1, [1]), .data(1, [2, 3]), .finished(1)])
    pair.b.send([4], on: number)
    pair.b.finish(number)
    try pair.run()
    #expect(pair.a.takeEffects() == [.data(1, [4]), .finished(1), .closed(1, nil)])
    #expect(pair.b.takeEffects() == [.closed(1, nil)])
    pair.a.send([1], on: number)
    pair.a.reset(number, SegueError(.userCancelled, ""))
    #expect(pair.a.takeEffects().isEmpty)
  }

  /// The two frames that leave together are written without moving the first.
  @Test func twoFramesTakeOneBuffer() throws {
    var pair = Pair()
    let number = try pair.a.openChannel(first: [1])
    try pair.run()
    pair.a.send([UInt8](repeating: 7, count: 2 * Limits.dataLength), on: number)
    var buffer = ByteBuffer()
    let isFirst = pair.a.next(into: &buffer)
    let capacity = buffer.storageCapacity
    let isSecond = pair.a.next(into: &buffer)
    #expect(isFirst && isSecond)
    #expect(buffer.readableBytes == 2 * (Limits.dataLength + Frame.headerLength) && buffer.storageCapacity == capacity)
  }

  /// Data that are longer go on in the next frame, and what leaves together fills two parts of whole packets.
  @Test func twoFramesFillTwoParts() throws {
    var pair = Pair()
    let number = try pair.a.openChannel(first: [1])
    try pair.run()
    pair.a.send([UInt8](repeating: 7, count: 2 * Limits.dataLength + 1), on: number)
    var lengths: [Int] = []
    var buffer = ByteBuffer()
    while pair.a.next(into: &buffer) {
      lengths.append(buffer.readableBytes - Frame.headerLength)
      buffer.clear()
    }
    #expect(lengths == [Limits.dataLength, Limits.dataLength, 1])
    let length = 2 * (Limits.dataLength + Frame.headerLength)
    // A record of TLS 1.3 carries 16 KiB, and has 22 bytes more.
    let records = (length + 16_383) / 16_384
    #expect(length + 22 * records <= 2 * 44 * 1_460)
  }

  /// A side that stops reading says so once; frames that do not fit are skipped, as every optional frame may be.
  @Test func T4_whoReadsNoMoreIsHeardOnce() throws {
    var pair = Pair()
    let number = try pair.a.openChannel(first: [1])
    // Not before the channel is known there.
    pair.a.stopReading(number)
    try pair.run()
    #expect(pair.b.takeEffects() == [.opened(1, [1])])
    pair.a.stopReading(number)
    pair.a.stopReading(number)
    try pair.run()
    #expect(pair.b.takeEffects() == [.stopped(1)])
    for channel: UInt32 in [0, 2, 77, .max] { try pair.b.receive(Frame(kind: .stop, channel: channel)) }
    #expect(pair.b.takeEffects().isEmpty)
    // The other direction goes on.
    pair.a.send([5], on: number)
    pair.a.finish(number)
    pair.b.finish(number)
    try pair.run()
    #expect(pair.b.takeEffects() == [.data(1, [5]), .finished(1), .closed(1, nil)])
  }

  /// Crumbs that wait for credit are put together, in their order.
  @Test func attack33_crumbsThatWaitTakeLittleRoom() throws {
    var channel = MuxChannel(flow: Flow(window: 1 << 20, peerWindow: 1 << 20), announced: true)
    for number in 0..<100_000 {
      let isTaken = channel.append([UInt8(truncatingIfNeeded: number)], limit: 1 << 20)
      #expect(isTaken)
    }
    #expect(channel.pieces < 50)
    var buffer = ByteBuffer()
    while channel.write(1, to: &buffer) != nil {}
    var decoder = FrameDecoder()
    decoder.limit = Limits.frameLength
    decoder.append(buffer)
    var all: [UInt8] = []
    while let frame = try decoder.next() { all += Array(buffer: frame.payload) }
    #expect(all == (0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
  }

  @Test func windowStopsTheSender() throws {
    var pair = Pair()
    let number = try pair.a.openChannel(first: [])
    pair.a.send([UInt8](repeating: 1, count: 1 << 20), on: number)
    try pair.run()
    func received(_ effects: [Mux.Effect]) -> [Int] {
      effects.compactMap { if case .data(_, let bytes) = $0 { bytes.count } else { nil } }
    }
    var counts = received(pair.b.takeEffects())
    #expect(counts.reduce(0, +) <= Limits.channelWindow)
    #expect(counts.reduce(0, +) > Limits.channelWindow - 8192)
    var total = counts.reduce(0, +)
    // Control messages pass all the same.
    try pair.a.sendControl([5])
    try pair.run()
    #expect(pair.b.takeEffects() == [.control([5])])
    while !counts.isEmpty {
      for count in counts { pair.b.consumed(count, on: number) }
      try pair.run()
      counts = received(pair.b.takeEffects())
      total += counts.reduce(0, +)
    }
    #expect(total == 1 << 20)
    // One byte too many for the queue ends the channel, not the link.
    pair.a.send([UInt8](repeating: 1, count: (1 << 20) + 1), on: number)
    try pair.run()
    guard case .closed(1, let error) = pair.b.takeEffects().last else {
      Issue.record("not closed")
      return
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test func controlNeedsCreditToo() throws {
    var pair = Pair()
    let message = [UInt8](repeating: 1, count: 60_000)
    for _ in 0..<10 { try pair.a.sendControl(message) }
    try pair.run()
    #expect(pair.b.takeEffects().count == 4)
    #expect(code { for _ in 0..<20 { try pair.a.sendControl(message) } } == .limitExceeded)
    // Who is out of credit gets that of each message back at once.
    pair.b.consumedControl(message.count)
    try pair.run()
    #expect(pair.b.takeEffects().count == 1)
    for _ in 0..<4 { pair.b.consumedControl(message.count) }
    try pair.run()
    #expect(pair.b.takeEffects().count == 4)
  }

  /// However small the window, the largest message passes again and again.
  @Test(arguments: [0, 70_000, 131_072, 200_000, 262_144]) func noWindowStalls(_ window: Int) throws {
    var settings = LinkSettings()
    settings.window = max(window, Flow.leastWindow)
    settings.windowMost = settings.window
    var pair = Pair(settings)
    let number = try pair.a.openChannel(first: [])
    try pair.run()
    #expect(pair.b.takeEffects() == [.opened(1, [])])
    pair.b.consumedControl(0)
    for _ in 0..<20 {
      for count in [1, Limits.frameLength] {
        try pair.a.sendControl([UInt8](repeating: 1, count: count))
        pair.a.send([UInt8](repeating: 1, count: count), on: number)
      }
      for _ in 0..<10 {
        try pair.run()
        for effect in pair.b.takeEffects() {
          if case .control(let bytes) = effect { pair.b.consumedControl(bytes.count) }
          if case .data(_, let bytes) = effect { pair.b.consumed(bytes.count, on: number) }
        }
      }
    }
    pair.a.finish(number)
    try pair.run()
    #expect(pair.b.takeEffects() == [.finished(1)])
  }

  @Test func attack33_channelLimit() throws {
    var pair = Pair()
    for _ in 0..<32 { _ = try pair.a.openChannel(first: []) }
    #expect(code { try pair.a.openChannel(first: []) } == .limitExceeded)
    // The other side has places of its own.
    _ = try pair.b.openChannel(first: [])
    try pair.run()
    // A peer that does not keep the limit is refused the channel.
    try pair.b.receive(Frame(kind: .open, channel: 65))
    var out = ByteBuffer()
    let some = pair.b.next(into: &out)
    #expect(some)
    var decoder = FrameDecoder()
    decoder.append(out)
    let frame = try decoder.next()
    let reset = try #require(frame)
    #expect(reset.kind == .reset)
    #expect(reset.channel == 65)
    // Opening and resetting is no way around it while the owner has not consumed.
    _ = pair.b.takeEffects()
    for number in stride(from: UInt32(1), through: 63, by: 2) {
      try pair.b.receive(Frame(kind: .data, channel: number, payload: ByteBuffer(bytes: [1])))
      try pair.b.receive(
        Frame(kind: .reset, channel: number, payload: ByteBuffer(integer: SegueError.Code.userCancelled.rawValue)))
    }
    _ = pair.b.takeEffects()
    try pair.b.receive(Frame(kind: .open, channel: 67))
    #expect(pair.b.takeEffects().isEmpty)
    pair.b.consumed(1, on: 1)
    try pair.b.receive(Frame(kind: .open, channel: 69))
    #expect(pair.b.takeEffects() == [.opened(69, [])])
  }

  /// Only this side knows when the link is lost: whoever waits for that would wait for nothing.
  @Test func attack27_aResetIsNoLostLink() throws {
    var mux = Mux(dialler: true, settings: LinkSettings(), peerWindow: Limits.channelWindow)
    let told: [(Int32, SegueError.Code)] = [
      (SegueError.Code.connectionUnavailable.rawValue, .handoffFailed), (77, .handoffFailed),
      (SegueError.Code.limitExceeded.rawValue, .limitExceeded),
    ]
    for (number, (said, taken)) in zip(stride(from: UInt32(2), through: 6, by: 2), told) {
      try mux.receive(Frame(kind: .open, channel: number))
      try mux.receive(Frame(kind: .reset, channel: number, payload: ByteBuffer(integer: said)))
      guard case .closed(number, let error)? = mux.takeEffects().last else { throw SegueError(.system, "It is open.") }
      #expect(error?.code == taken)
    }
  }

  /// Frames that a paired device gone bad may send.
  @Test func attack27_violations() throws {
    let four = ByteBuffer(integer: UInt32(1))
    let big = ByteBuffer(repeating: 0, count: Limits.frameLength)
    let table: [[Frame]] = [
      [Frame(kind: .control)], [Frame(kind: .control, channel: 1, payload: four)],
      [Frame(kind: .open, channel: 0)], [Frame(kind: .open, channel: 1)],
      [Frame(kind: .open, channel: 4), Frame(kind: .open, channel: 2)],
      [Frame(kind: .open, channel: 2), Frame(kind: .open, channel: 2)],
      [Frame(kind: .data, channel: 2, payload: four)], [Frame(kind: .data, channel: 1, payload: four)],
      [Frame(kind: .data, channel: 0, payload: four)], [Frame(kind: .finish, channel: 9)],
      [Frame(kind: .open, channel: 2), Frame(kind: .data, channel: 2)],
      [Frame(kind: .open, channel: 2), Frame(kind: .finish, channel: 2), Frame(kind: .finish, channel: 2)],
      [
        Frame(kind: .open, channel: 2), Frame(kind: .finish, channel: 2),
        Frame(kind: .data, channel: 2, payload: four),
      ],
      [Frame(kind: .open, channel: 2), Frame(kind: .reset, channel: 2)],
      [Frame(kind: .open, channel: 2)] + (0..<5).map { _ in Frame(kind: .data, channel: 2, payload: big) },
      (0..<5).map { _ in Frame(kind: .control, payload: big) },
      [Frame(kind: .window)], [Frame(kind: .window, payload: ByteBuffer(integer: UInt32(0)))],
      [Frame(kind: .window, payload: ByteBuffer(integer: UInt32.max))],
      (0..<5).map { _ in Frame(kind: .window, payload: ByteBuffer(integer: UInt32(1 << 28))) },
      [
        Frame(kind: .open, channel: 2), Frame(kind: .reset, channel: 2, payload: four),
        Frame(kind: .window, channel: 2),
      ],
      [Frame(kind: .ping, payload: ByteBuffer(repeating: 0, count: 9))], [Frame(kind: .ping, channel: 2)],
      [Frame(kind: .pong, payload: ByteBuffer(repeating: 0, count: 9))], [Frame(kind: .pong, channel: 2)],
      [Frame(kind: .open, channel: 2), Frame(kind: .finish, channel: 2, payload: four)],
      (0..<300).map { _ in Frame(kind: .ping) },
      [Frame(kind: .welcome)], [Frame(kind: .init(rawValue: 0))], [Frame(kind: .init(rawValue: 0x7f))],
    ]
    for (row, frames) in table.enumerated() {
      var mux = Mux(dialler: true, settings: LinkSettings(), peerWindow: Limits.channelWindow)
      #expect(code { for frame in frames { try mux.receive(frame) } } == .protocolViolation, "row \(row)")
    }
    var mux = Mux(dialler: true, settings: LinkSettings(), peerWindow: Limits.channelWindow)
    try mux.receive(Frame(kind: .init(rawValue: 0x80), channel: 99, payload: four))
    #expect(mux.takeEffects().isEmpty)
  }
}
