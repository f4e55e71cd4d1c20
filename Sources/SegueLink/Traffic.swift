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
  /// Nil when it is over.
  private var mux: Mux?
  private(set) var heartbeat: HeartbeatTimer?
  /// The open ones, and those that have ended while their owner has bytes to consume.
  private var channels: [UInt32: LinkChannel] = [:]
  private var isPumping = false
  private var isPumpDue = false
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
    let channel = context.channel as? StreamChannel
    heartbeat = HeartbeatTimer(
      Heartbeat(core.settings, isFirst: core.breaksTies(with: peer), now: since), on: core.loop,
      acknowledgement: { channel?.acknowledgement(now: $0) ?? Acknowledgement(isComplete: false, last: 0, timeout: 0) },
      act: { [unowned self] in act($0) })
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
      while buffer.readableBytes < 2 * Limits.frameLength, mux?.next(into: &buffer) == true {}
      guard buffer.readableBytes > 0 else { break }
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
    if unpumped >= 2 * Limits.frameLength { return pump() }
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

  private func act(_ act: HeartbeatTimer.Act) {
    switch act {
    case .heartbeat:
      mux?.heartbeat()
      pump()
      core.othersJoin(self)
    case .ping:
      mux?.ping()
      pump()
    case .lost:
      connection.end(SegueError(.connectionUnavailable, "The device no longer answers."), goodbye: nil)
    }
  }

  /// The link is over, and so are all channels.
  func end(_ error: SegueError) {
    heartbeat?.stop()
    mux = nil
    for (_, channel) in channels.sorted(by: { $0.key < $1.key }) {
      close(channel, error)
      channel.leave()
    }
    channels = [:]
  }

  static let notLinked = SegueError(.connectionUnavailable, "The device is not linked.")
}
