import NIOCore
import SegueCore

/// The traffic of a link that is up: control messages and channels, in the frames of a `Mux`, and signs of life. Its
/// connection hands it the frames that come, and ends it.
final class Traffic: @unchecked Sendable {
  /// When the link came up.
  let since: UInt64
  private let peer: DeviceID
  private let core: LinkCore
  private unowned let connection: PeerConnection
  private let context: ChannelHandlerContext
  private let socket: StreamChannel?
  /// Nil when it is over.
  private var mux: Mux?
  private(set) var heartbeat: LinkLife?
  /// Whether the peer tells its heartbeats from everything else by their length.
  private let isDistinct: Bool
  /// The open ones, and those that have ended while their owner has bytes to consume.
  private var channels: [UInt32: LinkChannel] = [:]
  private var isPumping = false
  private var isPumpDue = false
  /// Whether a heartbeat is being sent.
  private var isBeating = false
  /// Bytes of the owner's since the last pump.
  private var unpumped = 0

  init(
    of connection: PeerConnection, with peer: DeviceID, _ welcome: Welcome, _ context: ChannelHandlerContext,
    _ core: LinkCore
  ) {
    self.peer = peer
    self.core = core
    self.connection = connection
    self.context = context
    since = core.now
    mux = Mux(dialler: connection.isDialled, settings: core.settings, peerWindow: Int(welcome.window))
    isDistinct = welcome.isDistinct
    let socket = context.channel as? StreamChannel
    self.socket = socket
    heartbeat = LinkLife(
      Heartbeat(core.settings, isFirst: core.breaksTies(with: peer), now: since), on: core.loop, core.heartbeatTimer,
      LinkLife.Ends(
        acknowledgement: { socket?.acknowledgement(now: $0) ?? .unknown(now: $0) },
        isQuiet: { (socket?.lowWater ?? 1) > 1 }, readWaiting: { socket?.readWaiting() },
        act: { [unowned self] in act($0) }))
  }

  // MARK: Frames in

  /// Takes one frame, and returns its charge. Throws `protocolViolation`; the link must then end.
  func receive(_ frame: Frame) throws(SegueError) -> Int {
    let charge = try mux?.receive(frame) ?? 0
    deliver()
    return charge
  }

  /// Tells the owners what the mux has found.
  private func deliver() {
    for effect in mux?.takeEffects() ?? [] {
      switch effect {
      case .control(let bytes): core.events.append(.control(peer, bytes))
      case .opened(let number, let first):
        let channel = core.newChannel(with: peer)
        add(channel, number)
        core.events.append(.channelOpened(channel, first: first))
      case .data(let number, let bytes): tell(number, .data(bytes))
      case .finished(let number): tell(number, .finished)
      case .stopped(let number): tell(number, .stopped)
      case .writable(let number, let count): tell(number, .writable(count))
      case .closed(let number, let error):
        guard let channel = channels[number] else { continue }
        close(channel, error)
        forgetIfDrained(number)
      }
    }
  }

  // MARK: Frames out

  /// Writes frames for as long as the socket takes them, two long ones at once, for which the other side is woken once.
  /// Bytes that it does not take stay in the mux, where they are bounded.
  func pump() {
    guard mux != nil, !isPumping else { return }
    isPumping = true
    defer { isPumping = false }
    isPumpDue = false
    unpumped = 0
    while context.channel.isWritable {
      var buffer = ByteBuffer()
      while buffer.readableBytes < 2 * Limits.dataLength, mux?.next(into: &buffer) == true {}
      guard buffer.readableBytes > 0 else { break }
      if !isBeating || buffer.readableBytes > Frame.headerLength { relax() }
      context.writeAndFlush(NIOAny(buffer), promise: nil)
    }
    deliver()
  }

  /// Pumps when the loop has done what was asked of it up to now. All that the owner sends in one go is then one TLS
  /// record, one write, and wakes the peer once.
  private func pumpSoon(_ count: Int = 0) {
    if count > 0 { heartbeat?.sent() }
    unpumped += count
    // A burst leaves as it comes: it must not fill the queues while the socket is idle.
    if unpumped >= 2 * Limits.dataLength { return pump() }
    guard !isPumpDue else { return }
    isPumpDue = true
    core.loop.soon { [self] in flush() }
  }

  /// Pumps now: the other device goes on while this one still works.
  private func pumpNow(_ count: Int) {
    if count > 0 { heartbeat?.sent() }
    pump()
  }

  /// Frames that wait for `pumpSoon` leave now.
  func flush() {
    if isPumpDue { pump() }
  }

  // MARK: Calls of the owners

  /// A message that cannot be queued ends the link: it must not be lost silently.
  func sendControl(_ bytes: [UInt8]) {
    do throws(SegueError) {
      try mux?.sendControl(bytes)
      pumpNow(bytes.count)
    } catch {
      connection.end(error, goodbye: .overload)
    }
  }

  func consumedControl(_ count: Int) {
    mux?.consumedControl(count)
    pumpSoon()
  }

  /// Opens the channel, or tells its end. A request that is `finishing` is whole, and leaves now, since the other device
  /// works on it while this one goes on.
  func open(_ channel: LinkChannel, first: [UInt8], finishing: Bool) {
    do throws(SegueError) {
      heartbeat?.look()
      guard let number = try mux?.openChannel(first: first) else { return close(channel, Self.notLinked) }
      add(channel, number)
      guard finishing else { return pumpSoon(first.count) }
      mux?.finish(number)
      pumpNow(first.count)
    } catch {
      close(channel, error)
    }
  }

  /// Does what the channel's owner wants, which sends so many bytes. `isLast`: the last ones, which leave now.
  func change(_ number: UInt32, sending count: Int, isLast: Bool, _ body: (inout Mux?) -> Void) {
    body(&mux)
    forgetIfDrained(number)
    if isLast { pumpNow(count) } else { pumpSoon(count) }
  }

  // MARK: Channels

  private func add(_ channel: LinkChannel, _ number: UInt32) {
    setQuiet(false)
    channels[number] = channel
    channel.opened(self, number)
  }

  private func tell(_ number: UInt32, _ event: LinkChannel.Event) {
    if let channel = channels[number] { core.events.append(event, of: channel) }
  }

  private func close(_ channel: LinkChannel, _ error: SegueError?) {
    if channel.close() { core.events.append(.closed(error), of: channel) }
  }

  /// An ended channel is still known while the owner has bytes of it to consume.
  private func forgetIfDrained(_ number: UInt32) {
    guard channels[number]?.isClosed == true, mux?.isDraining(number) != true else { return }
    channels.removeValue(forKey: number)?.leave()
  }

  // MARK: Life

  /// The length of a heartbeat on the wire; everything else that a distinct peer sends on a link without channels is
  /// longer.
  private static let heartbeatLength = Frame.headerLength + TLS.recordOverhead

  /// Whether the peer's heartbeats wake nobody at present. For tests.
  var isQuiet: Bool { (socket?.lowWater ?? 1) > 1 }

  /// Whether TCP's user time-out is set for a heartbeat. For tests.
  var isWatched: Bool { (socket?.userTimeout ?? 0) > 0 }

  /// `isHeartbeat`: a heartbeat has come, and nothing else. Then the next one of an idle link wakes nobody: it waits in the
  /// system until a tick, which comes anyway.
  func setQuiet(_ isHeartbeat: Bool) {
    relax()
    // With part of a further record behind it the read was longer; the rest of that must wake.
    let isQuiet = isHeartbeat && isDistinct && channels.isEmpty && socket?.lastRead == Self.heartbeatLength
    socket?.lowWater = isQuiet ? Self.heartbeatLength + 1 : 1
  }

  /// A stream may stall for longer than a heartbeat may: TCP's user time-out is set for that alone.
  private func relax() {
    guard let socket, socket.userTimeout > 0 else { return }
    socket.userTimeout = 0
    heartbeat?.unwatched()
  }

  private func act(_ act: LinkLife.Act) {
    switch act {
    case .heartbeat(let patience):
      isBeating = true
      socket?.userTimeout = patience ?? 0
      mux?.heartbeat()
      pump()
      isBeating = false
    case .ping:
      // The answer may be any frame, and wakes.
      setQuiet(false)
      mux?.ping()
      pump()
    case .lost: connection.end(Self.silent, goodbye: nil)
    }
  }

  /// The link is over, and so are all channels.
  func end(_ error: SegueError) {
    heartbeat?.stop()
    // TLS's own farewell is shorter than a heartbeat.
    setQuiet(false)
    mux = nil
    for (_, channel) in channels.sorted(by: { $0.key < $1.key }) {
      close(channel, error)
      channel.leave()
    }
    channels = [:]
  }

  static let silent = SegueError(.connectionUnavailable, "The device no longer answers.")
  static let notLinked = SegueError(.connectionUnavailable, "The device is not linked.")
}
