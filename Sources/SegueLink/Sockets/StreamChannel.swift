import Glibc
import NIOCore
import SegueBus
import SegueCore

/// A TCP connection with SwiftNIO's pipeline of handlers, on the loop on which all other code runs: the pipeline holds
/// TLS and the link's own handlers. It lives until it is closed.
final class StreamChannel: Channel, ChannelCore, @unchecked Sendable {
  private enum State { case made, connecting, active, closed }

  let loop: SocketLoop
  private let socket: Socket
  private var state = State.made
  private var watch: LoopWatch?
  private var connected: ((Result<Void, any Error>) -> Void)?
  private var writes = PendingWrites()
  /// How many bytes the next read takes at most: more after reads that were full, fewer after those that were nearly
  /// empty.
  private var readLength = StreamChannel.readLengths.lowerBound
  /// At most the two frames that leave together, and what TLS adds to them.
  private static let readLengths = 4 * 1024...2 * (Limits.frameLength + 1024)
  /// Whether no more may be written behind the pending writes.
  private var isFinishing = false
  private let closePromise: EventLoopPromise<Void>
  private(set) lazy var pipeline = ChannelPipeline(channel: self)
  private(set) var isWritable = true
  private(set) var localAddress: SocketAddress?
  private(set) var remoteAddress: SocketAddress?
  /// Whether the other side has proved to be a paired device. Other channels wait for their turn (`HandshakeTurns`).
  var isTrusted = false
  /// Called with the number of bytes of each read, after the handlers. Returns for how many milliseconds reading must
  /// pause.
  var meter: ((Int) -> UInt64)?
  /// The number of bytes of the last read.
  private(set) var lastRead = 0
  /// So many bytes at least must have come before they are read; fewer wait in the system for `readWaiting`. Each read sets
  /// it back to 1: the rest of what has begun may be short.
  var lowWater = 1 {
    didSet { if lowWater != oldValue, state != .closed { socket.setLowWater(lowWater) } }
  }
  /// How long TCP tries to send before it ends the connection, in milliseconds; 0 is the system's own time.
  var userTimeout: UInt64 = 0 {
    didSet { if userTimeout != oldValue, state != .closed { socket.setUserTimeout(userTimeout) } }
  }
  /// The timer of a pause: while it is set the channel reads nothing, and bytes that come wait in the system.
  private var rest: SocketTimer?

  init(_ socket: Socket, on loop: SocketLoop) {
    self.socket = socket
    remoteAddress = socket.remoteAddress
    self.loop = loop
    closePromise = loop.makePromise()
    loop.opened(self)
  }

  // MARK: The beginning

  /// Starts an accepted channel, whose handlers are in place.
  func begin() {
    guard state == .made else { return }
    do throws(SegueError) {
      watch = try loop.loop.watch(socket.raw, .readable) { [unowned self] in serve($0) }
    } catch {
      return close0(error: error, mode: .all, promise: nil)
    }
    pipeline.fireChannelRegistered()
    activate()
  }

  /// Connects, and reports the outcome once; a channel that could not connect is closed.
  func connect(to address: SocketAddress, _ done: @escaping (Result<Void, any Error>) -> Void) {
    guard state == .made else { return done(.failure(ChannelError.alreadyClosed)) }
    state = .connecting
    connected = done
    remoteAddress = address
    pipeline.fireChannelRegistered()
    do {
      try socket.connect(to: address)
      watch = try loop.loop.watch(socket.raw, .writable) { [unowned self] in serve($0) }
    } catch {
      // The failure is reported in a later turn: `done` is never called within the call.
      loop.soon { [self] in close0(error: error, mode: .all, promise: nil) }
    }
  }

  /// Reads whether the connection was made.
  private func decide() {
    do throws(IOError) {
      try socket.checkConnected()
    } catch {
      return close0(error: error, mode: .all, promise: nil)
    }
    setEvents()
    activate()
  }

  private func activate() {
    state = .active
    localAddress = socket.localAddress
    tell(.success(()))
    pipeline.fireChannelActive()
  }

  private func tell(_ result: Result<Void, any Error>) {
    let connected = connected
    self.connected = nil
    connected?(result)
  }

  // MARK: Events of the socket

  /// Handles the events that the loop reports.
  func serve(_ events: Events) {
    if state == .connecting { return decide() }
    if events.contains(.writable) { send() }
    guard state == .active, !events.isDisjoint(with: [.readable, .failed, .hangup]) else { return }
    if loop.isEnding { endRest() }
    if isTrusted || loop.isEnding { read(bytes: Limits.linkBytesPerTurn) } else { loop.handshakes.add(self) }
  }

  /// Reads the bytes that are there now, until at least that many are read.
  func read(bytes: Int) {
    var end: (any Error)?
    var total = 0
    while state == .active, rest == nil, end == nil, total < bytes {
      let space = min(readLength, mostOfRead(left: bytes - total))
      loop.buffer.clear(minimumCapacity: space)
      do throws(IOError) {
        guard let count = try socket.read(into: &loop.buffer, most: space) else { break }
        guard count > 0 else {
          end = ChannelError.eof
          break
        }
        total += count
        lastRead = count
        lowWater = 1
        if count == space {
          readLength = Self.readLengths.upperBound
        } else if count < space / 4 {
          readLength = max(Self.readLengths.lowerBound, readLength / 2)
        }
        pipeline.fireChannelRead(loop.buffer)
        // Only at the end of the read TLS hands the decrypted bytes on.
        pipeline.fireChannelReadComplete()
        if let meter { rest(milliseconds: meter(count)) }
        // The read was short: further bytes, and the end, make the socket readable again.
        if count < space { break }
      } catch {
        end = error
      }
    }
    guard let end, state == .active else { return }
    if end is IOError { pipeline.fireErrorCaught(end) }
    close0(error: end, mode: .all, promise: nil)
  }

  /// Reads what is too little to have been told of.
  func readWaiting() {
    if lowWater > 1 { read(bytes: Limits.linkBytesPerTurn) }
  }

  /// An unauthenticated peer's read does not grow beyond a frame, nor a device's beyond what is left of its turn.
  private func mostOfRead(left: Int) -> Int {
    isTrusted ? max(left, Self.readLengths.lowerBound) : Limits.frameLength
  }

  /// Pauses reading for that many milliseconds. The end of the connection is noticed afterwards, or when a write fails.
  func rest(milliseconds: UInt64) {
    guard milliseconds > 0, state == .active, rest == nil, !loop.isEnding else { return }
    rest = loop.timer(after: milliseconds) { [weak self] in self?.endRest() }
    setEvents()
  }

  private func endRest() {
    guard let rest else { return }
    rest.cancel()
    self.rest = nil
    setEvents()
  }

  /// Sets the events for which the loop watches the socket.
  private func setEvents() {
    var events: Events = rest == nil ? .readable : []
    if writes.isDue { events.insert(.writable) }
    watch?.setEvents(events)
  }

  // MARK: Writing

  /// Beyond the higher number of pending bytes the owner must wait, until there are fewer than the lower one.
  private static let water = (low: 32 * 1024, high: 64 * 1024)

  func write0(_ data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard state == .active, !isFinishing else { return fail(promise, .ioOnClosedChannel) }
    guard let buffer = tryUnwrapData(data, as: ByteBuffer.self) else { return fail(promise, .operationUnsupported) }
    writes.append(buffer, promise)
    if isWritable, writes.bytes > Self.water.high {
      isWritable = false
      pipeline.fireChannelWritabilityChanged()
    }
  }

  func flush0() {
    writes.flush()
    // Otherwise the loop reports when the socket takes more.
    if watch?.events.contains(.writable) == false { send() }
  }

  private func send() {
    do throws(IOError) {
      var takesMore = true
      while state == .active, writes.isDue, takesMore {
        let (more, told) = try writes.send(to: socket)
        takesMore = more
        for promise in told { promise.succeed() }
      }
    } catch {
      return broke(error)
    }
    guard state == .active else { return }
    setEvents()
    if !isWritable, writes.bytes < Self.water.low {
      isWritable = true
      pipeline.fireChannelWritabilityChanged()
    }
    if isFinishing, !writes.isDue { try? socket.finish() }
  }

  /// Handles a failed write: the bytes that the other side has sent before are still read, since they may say why.
  private func broke(_ error: IOError) {
    endRest()
    watch?.setEvents([])
    loop.soon { [self] in
      guard state == .active else { return }
      read(bytes: Limits.linkBytesPerTurn)
      close0(error: error, mode: .all, promise: nil)
    }
  }

  // MARK: The end

  func close() { close0(error: ChannelError.ioOnClosedChannel, mode: .all, promise: nil) }

  func close0(error: any Error, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard state != .closed else { return fail(promise, .alreadyClosed) }
    switch mode {
    case .input: return fail(promise, .operationUnsupported)
    case .output:
      isFinishing = true
      flush0()
      promise?.succeed()
      return
    case .all: break
    }
    let wasActive = state == .active
    state = .closed
    isWritable = false
    loop.closed(self)
    loop.handshakes.remove(self)
    rest?.cancel()
    // The watch goes before the socket: the loop knows descriptors by number.
    watch?.cancel()
    watch = nil
    socket.close()
    for promise in writes.removeAll() { promise.fail(error) }
    promise?.succeed()
    tell(.failure(error))
    if wasActive { pipeline.fireChannelInactive() }
    pipeline.fireChannelUnregistered()
    // A handler may have closed the channel, so the handlers go in a later turn.
    loop.soon { [self] in
      removeHandlers(pipeline: pipeline)
      closePromise.succeed()
    }
  }

  private func fail(_ promise: EventLoopPromise<Void>?, _ error: ChannelError) { promise?.fail(error) }

  /// The socket and its events for poll(2).
  var polled: pollfd {
    let isWriting = state == .connecting || writes.isDue
    return pollfd(fd: socket.raw, events: Int16(truncatingIfNeeded: isWriting ? POLLIN | POLLOUT : POLLIN), revents: 0)
  }

  /// The state of the other side's acknowledgements, by TCP_INFO.
  func acknowledgement(now: UInt64) -> Acknowledgement { Acknowledgement(of: socket, now: now) }
}

// The further members that SwiftNIO requires of a channel.
extension StreamChannel {
  var eventLoop: any NIOCore.EventLoop { loop }
  var allocator: ByteBufferAllocator { ByteBufferAllocator() }
  var closeFuture: EventLoopFuture<Void> { closePromise.futureResult }
  var parent: (any Channel)? { nil }
  var isActive: Bool { state == .active }
  var _channelCore: any ChannelCore { self }

  func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) -> EventLoopFuture<Void> {
    loop.makeFailedFuture(ChannelError.operationUnsupported)
  }

  func getOption<Option: ChannelOption>(_ option: Option) -> EventLoopFuture<Option.Value> {
    loop.makeFailedFuture(ChannelError.operationUnsupported)
  }

  func localAddress0() throws -> SocketAddress {
    guard let localAddress else { throw ChannelError.operationUnsupported }
    return localAddress
  }

  func remoteAddress0() throws -> SocketAddress {
    guard let remoteAddress else { throw ChannelError.operationUnsupported }
    return remoteAddress
  }

  /// Does nothing: the channel always reads, since credit bounds the bytes that a peer may send.
  func read0() {}

  /// Drops bytes that no handler has taken.
  func channelRead0(_ data: NIOAny) {}
  func errorCaught0(error: any Error) {}

  func register0(promise: EventLoopPromise<Void>?) { promise?.fail(ChannelError.operationUnsupported) }
  func bind0(to: SocketAddress, promise: EventLoopPromise<Void>?) { promise?.fail(ChannelError.operationUnsupported) }
  func connect0(to: SocketAddress, promise: EventLoopPromise<Void>?) {
    promise?.fail(ChannelError.operationUnsupported)
  }
  func triggerUserOutboundEvent0(_ event: Any, promise: EventLoopPromise<Void>?) {
    promise?.fail(ChannelError.operationUnsupported)
  }
}
