import Foundation
import NIOCore
import SegueBus
import SegueCore
import Testing

@testable import SegueLink

/// Sockets, and SwiftNIO's handlers, on a loop whose turns a test takes one by one.
@Suite struct SocketTests {
  private let loop: SegueBus.EventLoop
  private let sockets: SocketLoop
  private let listener: Listener

  init() throws {
    loop = try SegueBus.EventLoop()
    sockets = SocketLoop(loop)
    listener = try Listener(at: SocketAddress(ipAddress: "127.0.0.1", port: 0), on: sockets)
  }

  /// Records what arrives on a channel.
  private final class Notes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    var bytes = 0
    var reads = 0
    var isEnded = false
    var isRemoved = false
    var isWritable = true
    var error: (any Error)?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { bytes += unwrapInboundIn(data).readableBytes }
    func channelReadComplete(context: ChannelHandlerContext) { reads += 1 }
    func channelInactive(context: ChannelHandlerContext) { isEnded = true }
    func handlerRemoved(context: ChannelHandlerContext) { isRemoved = true }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { self.error = error }
    func channelWritabilityChanged(context: ChannelHandlerContext) { isWritable = context.channel.isWritable }
  }

  /// One that rang too soon would wake the process twice.
  @Test func aTimerWakesOnce() {
    for milliseconds in UInt64(1)...20 {
      var (turns, hasRung) = (0, false)
      _ = sockets.timer(after: milliseconds) { hasRung = true }
      while !hasRung {
        loop.wait(milliseconds: -1)
        turns += 1
      }
      #expect(turns == 1)
    }
  }

  /// The other end: a socket that waits for what it asks.
  private final class Client {
    private(set) var raw: Int32

    init(_ port: UInt16) throws {
      raw = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      let address = try SocketAddress(ipAddress: "127.0.0.1", port: Int(port))
      try #require(address.withSockAddr { connect(raw, $0, socklen_t($1)) } == 0)
      // No test waits for ever.
      var bound = timeval(tv_sec: 60, tv_usec: 0)
      setsockopt(raw, SOL_SOCKET, SO_RCVTIMEO, &bound, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { end() }

    func end() {
      if raw >= 0 { close(raw) }
      raw = -1
    }
    /// Without a farewell: the other side's system says that the connection was reset.
    func endAtOnce() {
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(raw, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
      end()
    }
    func say(_ bytes: [UInt8]) { #expect(send(raw, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count) }

    /// Says as much as fits; how much.
    func sayAll() -> Int {
      let part = [UInt8](repeating: 7, count: 1 << 16)
      var total = 0
      while true {
        let count = send(raw, part, part.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        guard count > 0 else { return total }
        total += count
      }
    }

    /// Reads so many bytes, or to the end.
    func hear(_ count: Int) -> Int {
      var total = 0
      var part = [UInt8](repeating: 0, count: 1 << 16)
      while total < count {
        let count = recv(raw, &part, part.count, 0)
        guard count > 0 else { return total }
        total += count
      }
      return total
    }
  }

  /// So many connections that were taken, with what comes through them.
  private func taken(_ count: Int) throws -> [(client: Client, channel: StreamChannel, notes: Notes)] {
    var taken: [(StreamChannel, Notes)] = []
    try listener.start(
      accepted: { socket in
        let (channel, notes) = (StreamChannel(socket, on: sockets), Notes())
        try? channel.pipeline.syncOperations.addHandler(notes)
        channel.begin()
        taken.append((channel, notes))
      }, exhausted: {})
    let clients = try (0..<count).map { _ in try Client(listener.port) }
    run { taken.count == count }
    return zip(clients, taken).map { ($0, $1.0, $1.1) }
  }

  private func run(until isDone: () -> Bool) {
    let end = Instant.now + 60_000
    while !isDone(), Instant.now < end { loop.wait(milliseconds: 100) }
    #expect(isDone())
  }

  private func end() {
    listener.close()
    sockets.end(within: 0)
    loop.close()
  }

  @Test func aTurnTakesFewConnections() throws {
    defer { end() }
    var count = 0
    try listener.start(
      accepted: {
        count += 1
        $0.close()
      }, exhausted: {})
    let clients = try (0..<Limits.acceptsPerTurn * 2 + 1).map { _ in try Client(listener.port) }
    for turn in 1...3 {
      loop.wait(milliseconds: 60_000)
      #expect(count == min(clients.count, Limits.acceptsPerTurn * turn))
    }
  }

  /// One unauthenticated peer is served in each turn, in rotation, however much they send; a paired device in every
  /// turn.
  @Test func attack1_strangersAreServedInTurn() throws {
    defer { end() }
    let all = try taken(4)
    let (paired, strangers) = (all[0], all[1...])
    paired.channel.isTrusted = true
    for round in 1...3 {
      for (index, _) in strangers.enumerated() {
        for one in all { one.client.say([1]) }
        loop.wait(milliseconds: 60_000)
        #expect(paired.notes.reads == (round - 1) * strangers.count + index + 1)
        #expect(strangers.reduce(0) { $0 + $1.notes.reads } == paired.notes.reads * Limits.handshakesPerTurn)
      }
      #expect(strangers.allSatisfy { $0.notes.reads == round })
    }
    // One that goes while it waits is nobody's turn.
    for one in strangers { one.client.say([1]) }
    loop.wait(milliseconds: 60_000)
    for one in strangers { one.channel.close() }
    loop.wait(milliseconds: 0)
    #expect(strangers.allSatisfy { $0.notes.isEnded && $0.notes.isRemoved })
  }

  @Test func aTurnTakesSoMuchOfADevice() throws {
    defer { end() }
    let one = try taken(1)[0]
    one.channel.isTrusted = true
    let sent = one.client.sayAll()
    try #require(sent > 2 * Limits.linkBytesPerTurn)
    var turns = 0
    while one.notes.bytes < sent, turns < 10_000 {
      let before = one.notes.bytes
      loop.wait(milliseconds: 60_000)
      #expect(one.notes.bytes - before <= Limits.linkBytesPerTurn + 4096)
      turns += 1
    }
    #expect(one.notes.bytes == sent)
  }

  /// Its reads grow, too, but not beyond a frame, whatever a device's reads before took.
  @Test func attack1_aTurnTakesAFrameOfAStranger() throws {
    defer { end() }
    let all = try taken(2)
    let (paired, stranger) = (all[0], all[1])
    paired.channel.isTrusted = true
    let (first, sent) = (paired.client.sayAll(), stranger.client.sayAll())
    try #require(sent > 4 * Limits.frameLength)
    var (longest, turns) = (0, 0)
    while paired.notes.bytes + stranger.notes.bytes < first + sent, turns < 10_000 {
      let before = stranger.notes.bytes
      loop.wait(milliseconds: 60_000)
      longest = max(longest, stranger.notes.bytes - before)
      turns += 1
    }
    #expect(longest == Limits.frameLength)
  }

  /// Bytes that arrive meanwhile wait; bytes that leave do not, and show an end.
  @Test func attack34_whoRestsIsNotRead() throws {
    defer { end() }
    let one = try taken(1)[0]
    one.channel.isTrusted = true
    one.channel.rest(milliseconds: 3_600_000)
    one.client.say([1, 2])
    // Nor does it keep the loop awake.
    #expect(loop.wait(milliseconds: 0) == 0)
    one.channel.writeAndFlush(ByteBuffer(bytes: [3]), promise: nil)
    #expect(one.client.hear(1) == 1)
    loop.wait(milliseconds: 0)
    #expect(one.notes.bytes == 0)
    one.channel.writeAndFlush(ByteBuffer(repeating: 4, count: 16 << 20), promise: nil)
    #expect(!one.channel.isWritable)
    one.client.endAtOnce()
    run { one.notes.isRemoved }
    #expect(one.notes.isEnded)
  }

  @Test func attack34_whoHasRestedIsRead() throws {
    defer { end() }
    let one = try taken(1)[0]
    one.channel.isTrusted = true
    for round in 1...3 {
      one.channel.rest(milliseconds: 1)
      one.client.say([1, 2])
      run { one.notes.bytes == 2 * round }
    }
    // The end does not wait for a channel's rest.
    one.channel.rest(milliseconds: 3_600_000)
    one.client.say([1, 2])
    one.client.end()
    sockets.end(within: 60_000)
    #expect(one.notes.bytes == 8 && one.notes.isEnded)
  }

  /// The channel reads no more in that turn, either.
  @Test func attack34_eachReadIsMetered() throws {
    defer { end() }
    let one = try taken(1)[0]
    one.channel.isTrusted = true
    var metered: [Int] = []
    one.channel.meter = {
      metered.append($0)
      // The handlers have had it.
      #expect(metered.reduce(0, +) == one.notes.bytes && metered.count == one.notes.reads)
      return metered.count == 1 ? 0 : 3_600_000
    }
    try #require(one.client.sayAll() > 2 * Limits.frameLength)
    run { metered.count == 2 }
    #expect(loop.wait(milliseconds: 0) == 0)
    #expect(metered.count == 2 && metered.reduce(0, +) == one.notes.bytes)
  }

  /// More than the socket takes stays here, in order, until the other side has read.
  @Test func whatIsWrittenLeavesAsItIsRead() throws {
    defer { end() }
    let one = try taken(1)[0]
    var left = 0
    let parts = 200
    for number in 0..<parts {
      let promise = sockets.makePromise(of: Void.self)
      promise.futureResult.assumeIsolated().whenSuccess { left += 1 }
      let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1 << 16)
      one.channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: promise)
    }
    #expect(!one.notes.isWritable && left < parts)
    let client = one.client
    let heard = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var count = 0
    nonisolated(unsafe) let reader = client
    Thread.detachNewThread {
      count = reader.hear(parts << 16)
      heard.signal()
    }
    run { left == parts }
    #expect(heard.wait(timeout: .now() + 60) == .success)
    #expect(count == parts << 16)
    #expect(one.notes.isWritable)
  }

  @Test func bothSidesMayEnd() throws {
    defer { end() }
    let all = try taken(3)
    // Bytes that were sent before the end are read before it.
    all[0].client.say([1, 2, 3])
    all[0].client.end()
    run { all[0].notes.isRemoved }
    #expect(all[0].notes.bytes == 3 && all[0].notes.isEnded && all[0].notes.error == nil)
    var result: Result<Void, any Error>?
    let promise = sockets.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { result = $0 }
    all[0].channel.writeAndFlush(ByteBuffer(bytes: [1]), promise: promise)
    run { result != nil }
    #expect(throws: ChannelError.ioOnClosedChannel) { try result?.get() }
    all[1].channel.writeAndFlush(ByteBuffer(bytes: [1, 2]), promise: nil)
    all[1].channel.close(mode: .output, promise: nil)
    // The end of one direction is not that of the other.
    #expect(all[1].client.hear(3) == 2)
    all[1].client.say([1])
    run { all[1].notes.bytes == 1 }
    // A reset is an error.
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(all[2].client.raw, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    all[2].client.end()
    run { all[2].notes.isRemoved }
    #expect((all[2].notes.error as? IOError)?.errnoCode == ECONNRESET)
  }

  /// The first address refuses; the second takes the connection. If none does, the failure is reported once.
  @Test func theAddressesOfANameAreTriedInTurn() throws {
    defer { end() }
    let closed = try Listener(at: SocketAddress(ipAddress: "127.0.0.1", port: 0), on: sockets)
    let ports = [Int(closed.port), Int(listener.port)]
    closed.close()
    for (ports, isReached) in [(ports, true), ([ports[0], ports[0]], false), ([], false)] {
      let resolver = try DialTests.TwoAddresses(ports)
      let connector = Connector(loop: sockets, resolver: resolver, settings: LinkSettings())
      var results: [Result<StreamChannel, any Error>] = []
      var tried = 0
      let name = LinkAddress(host: "two.example", port: 1)
      connector.connect(to: name) { _ in
        tried += 1
      } done: {
        results.append($0)
      }
      #expect(results.isEmpty)
      run { !results.isEmpty }
      #expect(tried == ports.count)
      let port = try? results.first?.get().remoteAddress?.port
      #expect(port == (isReached ? ports[1] : nil))
      loop.wait(milliseconds: 0)
      #expect(results.count == 1)
    }
  }

  @Test func namesAreLookedUpAFewAtOnce() throws {
    defer { end() }
    let (busy, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    // Few, since each keeps a thread.
    let atOnce = 2
    let resolver = SystemResolver(loop, atOnce: atOnce) { address in
      busy.signal()
      gate.wait()
      return SocketAddress.all(of: address)
    }
    var found: [[SocketAddress]] = []
    let count = atOnce * 3
    for _ in 0..<count { resolver.resolve(LinkAddress(host: "127.0.0.1", port: 7)) { found.append($0) } }
    for _ in 0..<atOnce { busy.wait() }
    // No further lookup starts until one has answered.
    #expect(busy.wait(timeout: .now()) == .timedOut)
    for _ in 0..<count { gate.signal() }
    run { found.count == count }
    #expect(found.allSatisfy { $0.first?.port == 7 })
  }

  /// A timer of SwiftNIO's, and what is asked for in a turn, before the loop sleeps.
  @Test func whatIsAskedForIsDone() throws {
    defer { end() }
    var order: [Int] = []
    var isOver = false
    _ = sockets.assumeIsolated().scheduleTask(in: .milliseconds(1)) {
      sockets.soon {
        order.append(2)
        sockets.soon { order.append(3) }
      }
      order.append(1)
      isOver = true
    }
    let cancelled = sockets.assumeIsolated().scheduleTask(in: .milliseconds(1)) { order.append(0) }
    cancelled.cancel()
    run { isOver }
    #expect(order == [1, 2, 3])
    #expect(loop.wait(milliseconds: 0) == 0)
  }
}
