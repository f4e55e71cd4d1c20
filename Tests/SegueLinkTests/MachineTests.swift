import NIOCore
import SegueCore
import Testing

@testable import SegueLink

@Suite struct MachineTests {
  // MARK: Frames

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
    for cut in 0..<welcome.payload.readableBytes {
      let short = try #require(welcome.payload.getSlice(at: 0, length: cut))
      #expect(code { try Welcome(short) } == .protocolViolation)
    }
    #expect(try Welcome.common(1...3, 2...5) == 3)
    #expect(code { try Welcome.common(1...1, 2...2) } == .versionMismatch)
    #expect(code { try Welcome.common(2...2, 1...1) } == .versionMismatch)
  }

  // MARK: Mux

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
    // Credit comes back in portions: three of the four messages' by now.
    for _ in 0..<4 { pair.b.consumedControl(message.count) }
    try pair.run()
    #expect(pair.b.takeEffects().count == 3)
  }

  /// However small the window, the largest message passes again and again.
  @Test(arguments: [0, 70_000, 131_072, 200_000, 262_144]) func noWindowStalls(_ window: Int) throws {
    var settings = LinkSettings()
    settings.window = max(window, Flow.leastWindow)
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

  // MARK: Time

  @Test func attack5_dialsAreFewAndEverLessOften() {
    let addresses = (1...3).map { LinkAddress(host: "h\($0)", port: 1) }
    var plan = DialPlan(addresses: [addresses[0]], settings: LinkSettings(), now: 0)
    #expect(plan.due(0, underway: 0, chance: 0) == [addresses[0]])
    #expect(plan.due(500, underway: 1, chance: 0).isEmpty)
    #expect(plan.due(1000, underway: 1, chance: 1) == [addresses[0]])
    #expect(plan.wake == 1900)
    #expect(plan.due(1900, underway: 2, chance: 0).isEmpty)
    // Each second for a minute, then ever less often.
    var times: [UInt64] = []
    while let wake = plan.wake, wake < 300_000 {
      _ = plan.due(wake, underway: 0, chance: 0)
      times.append(wake)
    }
    #expect(times.filter { $0 < 60_000 }.count == 58)
    #expect(zip(times, times.dropFirst()).map { $1 - $0 }.max() == 30_000)
    plan.restart(300_000)
    #expect(plan.due(300_000, underway: 0, chance: 0).count == 1)
    #expect(plan.wake == 301_000)
    // Addresses in turn, two at once.
    plan.replace(addresses, now: 400_000)
    #expect(plan.due(400_000, underway: 0, chance: 0) == [addresses[0], addresses[1]])
    #expect(plan.due(401_000, underway: 1, chance: 0) == [addresses[2]])
    #expect(DialPlan(addresses: [], settings: LinkSettings(), now: 0).wake == nil)
  }

  /// Who takes each link and leaves it is dialled no more often than one that is away.
  @Test func attack5_aShortLinkIsAsADialThatFailed() {
    var plan = DialPlan(addresses: [LinkAddress(host: "h", port: 1)], settings: LinkSettings(), now: 0)
    _ = plan.due(0, underway: 0, chance: 0)
    _ = plan.hasFailed(underway: 0)
    plan.lost(since: 100, now: 100 + Limits.lastingTime - 1)
    #expect(plan.wake == 1_000)
    #expect(plan.due(59_000, underway: 0, chance: 0).count == 1)
    plan.lost(since: 59_100, now: 59_100)
    #expect(plan.due(59_100, underway: 0, chance: 0).isEmpty)
    // That it has failed again is told again.
    #expect(plan.due(60_000, underway: 0, chance: 0).count == 1)
    #expect(plan.hasFailed(underway: 0) == true)
    #expect(plan.wake == 62_000)
    plan.lost(since: 60_500, now: 60_500 + Limits.lastingTime)
    #expect(plan.wake == 60_500 + Limits.lastingTime)
  }

  @Test func attack1_loginsAreFew() {
    var logins = Logins(now: 0)
    for _ in 0..<Limits.loginBurst { #expect(logins.admit(0) == true) }
    #expect(logins.admit(Limits.loginInterval - 1) == false)
    #expect(logins.admit(Limits.loginInterval) == true)
    #expect(logins.admit(Limits.loginInterval) == false)
    let later = Limits.loginInterval * 1_000
    for _ in 0..<Limits.loginBurst { #expect(logins.admit(later) == true) }
    #expect(logins.admit(later) == false)
  }

  @Test func fewConnectionsWaitForAGoodbye() {
    var closing = ClosingConnections()
    for token in 1...UInt64(Limits.closingConnections) { #expect(closing.add(token) == nil) }
    closing.remove(1)
    #expect(closing.add(100) == nil)
    #expect(closing.add(101) == 2)
    #expect(closing.takeAll().count == Limits.closingConnections)
    #expect(closing.takeAll().isEmpty)
  }

  @Test func dialTimer() {
    var timer = DialTimer()
    #expect(timer.set(for: 1000, now: 0) == 1000)
    // It rings before.
    #expect(timer.set(for: 1500, now: 10) == nil)
    #expect(timer.set(for: 500, now: 10) == 490)
    timer.rang()
    // However late it is: what was to be dialled long ago is dialled soon.
    #expect(timer.set(for: 5, now: 7) == 1)
    #expect(timer.set(for: 0, now: .max) == 1)
    #expect(timer.set(for: .max, now: 0) == .max)
    timer.rang()
    #expect(timer.set(for: 9, now: 9) == 1)
    // One that should have rung is set anew.
    #expect(timer.set(for: 20, now: 10) == 10)
  }

  @Test func dialsThatHaveFailedAreToldOnce() {
    let addresses = (1...3).map { LinkAddress(host: "h\($0)", port: 1) }
    var plan = DialPlan(addresses: addresses, settings: LinkSettings(), now: 0)
    #expect(plan.hasFailed(underway: 0) == false)
    _ = plan.due(0, underway: 0, chance: 0)
    // The third address has not had its turn.
    #expect(plan.hasFailed(underway: 0) == false)
    _ = plan.due(1_000, underway: 1, chance: 0)
    #expect(plan.hasFailed(underway: 1) == false)
    #expect(plan.hasFailed(underway: 0) == true)
    #expect(plan.hasFailed(underway: 0) == false)
    _ = plan.due(2_000, underway: 0, chance: 0)
    #expect(plan.hasFailed(underway: 0) == false)
    plan.restart(3_000)
    #expect(plan.hasFailed(underway: 0) == false)
    plan.replace([addresses[0]], now: 4_000)
    _ = plan.due(4_000, underway: 0, chance: 0)
    #expect(plan.hasFailed(underway: 0) == true)
    var none = DialPlan(addresses: [], settings: LinkSettings(), now: 0)
    #expect(none.hasFailed(underway: 0) == true)
  }

  @Test func attack1_strangersHaveFewPlaces() {
    var strangers = Strangers(settings: LinkSettings())
    // A source's fifth costs it its first.
    for token in UInt64(0)..<4 { #expect(strangers.admit(token, from: "s", now: 0) == nil) }
    #expect(strangers.admit(4, from: "s", now: 0) == 0)
    for token in UInt64(5)..<33 { #expect(strangers.admit(token, from: "t\(token)", now: 0) == nil) }
    #expect(strangers.count == 32)
    #expect(strangers.admit(99, from: "u", now: 0) == 1)
    // Five failures, and a source has one place for a minute.
    for token in UInt64(100)..<105 { strangers.leave(token, from: "v", .failed, now: 10) }
    strangers.leave(99, from: "u", .proved, now: 10)
    strangers.leave(2, from: "s", .proved, now: 10)
    #expect(strangers.admit(200, from: "v", now: 20) == nil)
    #expect(strangers.admit(201, from: "v", now: 20) == 200)
    strangers.leave(201, from: "v", .failed, now: 30)
    #expect(strangers.admit(202, from: "v", now: 70_000) == nil)
    #expect(strangers.admit(203, from: "v", now: 70_000) == nil)
    // The memory of sources is bounded.
    for number in 0..<2000 { strangers.leave(1, from: "w\(number)", .failed, now: UInt64(number)) }
    #expect(Strangers.source(ip: [127, 0, 0, 1]) == "7f000001")
    let v6: [UInt8] = [0x20, 1, 13, 0xb8, 0, 0, 0, 1, 9, 9, 9, 9, 9, 9, 9, 9]
    #expect(Strangers.source(ip: v6) == "20010db800000001")
  }

  @Test func logLimiter() {
    var limiter = LogLimiter()
    #expect((0..<100).count { _ in limiter.admit(.stranger, now: 0).write } == 10)
    #expect(limiter.admit(.dial, now: 0).write)
    let later = limiter.admit(.stranger, now: 60_000)
    #expect(later.write)
    #expect(later.missed == 90)
  }
}
