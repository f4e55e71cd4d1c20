import NIOCore
import NIOSSL
import NIOTLS
import SegueCore

/// One TCP connection, from its first byte to its last: TLS, the welcomes, then frames of a `Mux`.
///
/// It decides nothing about peers; `LinkCore` does.
final class PeerConnection: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// `tls`: the peer is not authenticated. `welcome`: its key is pinned, its welcome has not come. `held`: it has come,
  /// and this side, which chooses, delays its own. `up`: both are sent. `closed`: over; bytes from the wire are
  /// ignored.
  enum State { case tls, welcome, held, up, closed }

  let token: UInt64
  let origin: Origin
  /// The dial that it belongs to: a name may have several addresses, each tried with a connection of its own.
  let dial: UInt64?
  private(set) var state = State.tls
  /// The purpose of an accepted connection.
  let purpose = TLS.Purpose()
  /// The device whose key TLS proved; nil before.
  private(set) var peer: DeviceID?
  /// When the link was up; 0 before.
  private(set) var upSince: UInt64 = 0
  let socketEnd = SocketEnd()
  /// The peer's welcome; nil before.
  private(set) var theirs: Welcome?

  // The core forgets a connection when its socket is closed; that breaks this reference cycle.
  private let core: LinkCore
  private var context: ChannelHandlerContext?
  private var decoder = FrameDecoder()
  private var mux: Mux?
  private var pulse: Pulse?
  private var timer: SocketTimer?
  /// Owner's ids by wire number, and back.
  private var ids: [UInt32: ChannelID] = [:]
  private var numbers: [ChannelID: UInt32] = [:]
  /// Whether a pong was read, and whether a frame that is only a sign of life.
  private var hasPong = false
  private var hasSign = false
  private lazy var toll = Toll(core.settings)
  /// The bytes and frames read since the toll was last charged.
  private var unpaid = Toll.Read()
  private var pumping = false
  private var isPumpDue = false
  /// The owner's bytes since the last pump.
  private var unpumped = 0

  init(token: UInt64, origin: Origin, dial: UInt64? = nil, core: LinkCore) {
    self.token = token
    self.origin = origin
    self.dial = dial
    self.core = core
  }

  var isDialled: Bool { dial != nil }
  /// The peer, or the device that the dial should reach.
  var candidate: DeviceID? {
    if case .dialled(let id, _) = origin { return id }
    return peer
  }

  // MARK: Events of the socket

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    // A dial's deadline starts when TCP is connected; the connect has a timeout of its own.
    if case .accepted = origin { startDeadline("TLS was not finished in time.") }
  }

  /// Called when the socket is closed; for a connection that was never established this is the only call.
  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    timer?.cancel()
    core.closed(self)
  }

  func channelActive(context: ChannelHandlerContext) {
    if isDialled { startDeadline("TLS was not finished in time.") }
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    end(SegueError(.connectionUnavailable, "The other side closed the connection."), goodbye: nil)
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted(let alpn)? = event as? TLSUserEvent { secured(context, alpn) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard state != .closed else { return }
    end(SegueError(.connectionUnavailable, "The connection failed: \(ConnectionError.sentence(error))."), goodbye: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    unpaid.opened += bytes.readableBytes
    guard state != .closed else { return }
    pulse?.heard(core.now)
    decoder.append(bytes)
    do throws(SegueError) {
      while state != .closed, let frame = try decoder.next() { try receive(frame) }
    } catch {
      end(error, goodbye: .violation)
    }
    noteSigns()
  }

  /// Charges that many bytes read from the socket, whatever TLS made of them. Returns for how many milliseconds reading
  /// must pause.
  private func takeToll(_ count: Int) -> UInt64 {
    defer { unpaid = Toll.Read() }
    unpaid.sealed = count
    return toll.took(unpaid, now: core.now)
  }

  /// Reports the signs of one read once, since frames that cost no credit may come by the ten thousand.
  private func noteSigns() {
    if hasPong { core.answered(self) }
    if hasSign { pulse?.heardSign(core.now) }
    (hasPong, hasSign) = (false, false)
  }

  func channelReadComplete(context: ChannelHandlerContext) { pump() }

  func channelWritabilityChanged(context: ChannelHandlerContext) { pump() }

  // MARK: From stranger to peer

  private func secured(_ context: ChannelHandlerContext, _ alpn: String?) {
    guard state == .tls else { return }
    if purpose.kind == .pairing { return handOver(context, alpn) }
    guard alpn == TLS.alpn else {
      return end(SegueError(.versionMismatch, "The other side does not speak \(TLS.alpn)."), goodbye: nil)
    }
    // The pin is checked again here, whatever TLS made of it: a resumed session does not check it, and the peer may
    // have been removed during the handshake.
    guard let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate(),
      let id = Pin.device(of: [certificate]), core.accepts(id, self)
    else {
      return end(
        SegueError(
          .accessDenied, "The other side is not paired.", advice: "Pair on both devices: segue device add"),
        goodbye: nil)
    }
    peer = id
    state = .welcome
    startDeadline("No welcome came in time.")
    if let channel = context.channel as? StreamChannel {
      channel.isTrusted = true
      channel.meter = { [weak self] in self?.takeToll($0) ?? 0 }
    }
    core.authenticated(self)
    // The device with the larger id sends its welcome first; the other one answers when it has chosen this link.
    if state == .welcome, !core.chooses(over: id) { sendWelcome() }
  }

  /// Hands the connection over to the pairing.
  private func handOver(_ context: ChannelHandlerContext, _ alpn: String?) {
    state = .closed
    timer?.cancel()
    core.pairs(self, context, alpn)
    context.pipeline.syncOperations.removeHandler(self, promise: nil)
  }

  private func receiveWelcome(_ frame: Frame) throws(SegueError) {
    guard let peer, frame.kind == .welcome, frame.channel == 0 else {
      if frame.kind == .goodbye { return receiveGoodbye(frame) }
      throw SegueError(.protocolViolation, "The first frame is no welcome.")
    }
    let welcome = try Welcome(frame.payload)
    theirs = welcome
    do throws(SegueError) {
      _ = try Welcome.common(Welcome.versions, welcome.versions)
    } catch {
      // The other side must get our versions, to show the same error to its user.
      if core.chooses(over: peer) { sendWelcome() }
      core.refuse(self, error)
      return end(error, goodbye: .version)
    }
    if core.chooses(over: peer) {
      state = .held
      core.proposed(self)
    } else {
      becomeUp()
    }
  }

  /// Chooses this link, and reports that to the peer and to the owner. For the side that chooses.
  func adopt() {
    guard state == .held else { return }
    sendWelcome()
    becomeUp()
  }

  private func becomeUp() {
    guard let theirs, let context else { return }
    state = .up
    upSince = core.now
    decoder.limit = Limits.frameLength
    mux = Mux(dialler: isDialled, settings: core.settings, peerWindow: Int(theirs.window))
    timer?.cancel()
    let channel = context.channel as? StreamChannel
    pulse = Pulse(
      Heartbeat(core.settings, isFirst: peer.map(core.chooses) == true, now: core.now), on: core.loop,
      acknowledgement: { channel?.acknowledgement(now: $0) ?? Acknowledgement(isComplete: false, last: 0, timeout: 0) },
      act: { [unowned self] in act($0) })
    core.up(self)
    pulse?.step(core.now)
  }

  private func sendWelcome() {
    let welcome = Welcome(window: max(core.settings.window, Flow.leastWindow), name: core.name)
    write(Frame(kind: .welcome, payload: welcome.payload))
  }

  // MARK: Frames

  private func receive(_ frame: Frame) throws(SegueError) {
    switch state {
    case .welcome: try receiveWelcome(frame)
    case .up where frame.kind == .goodbye, .held where frame.kind == .goodbye: receiveGoodbye(frame)
    case .up:
      unpaid.frames += 1
      unpaid.toll += try mux?.receive(frame) ?? 0
      hasPong = hasPong || frame.kind == .pong
      hasSign = hasSign || frame.kind == .pong || frame.kind == .beat
      deliver()
    case .tls, .held: throw SegueError(.protocolViolation, "A frame before the welcome.")
    case .closed: break
    }
  }

  private func receiveGoodbye(_ frame: Frame) {
    let goodbye = Goodbye(frame.payload)
    end(goodbye.error, goodbye: nil, quiet: goodbye == .duplicate || goodbye == .stopping)
  }

  /// Delivers the mux's effects to the owner.
  private func deliver() {
    guard let effects = mux?.takeEffects(), let peer else { return }
    for effect in effects {
      switch effect {
      case .control(let bytes): core.deliver(.control(peer, bytes))
      case .opened(let number, let first):
        let id = core.channelOpened(on: self)
        bind(number, id)
        core.deliver(.channelOpened(peer, id, first: first))
      case .data(let number, let bytes): ids[number].map { core.deliver(.channelData($0, bytes)) }
      case .finished(let number): ids[number].map { core.deliver(.channelFinished($0)) }
      case .stopped(let number): ids[number].map { core.deliver(.channelStopped($0)) }
      case .writable(let number, let count): ids[number].map { core.deliver(.writable($0, count)) }
      case .closed(let number, let error): unbind(number, error)
      }
    }
  }

  /// Writes frames for as long as the socket takes them, two long ones at once, so that the other side wakes once for
  /// both. Frames that it does not take stay in the mux, which bounds them.
  private func pump() {
    guard state == .up, let context, !pumping else { return }
    pumping = true
    defer { pumping = false }
    isPumpDue = false
    unpumped = 0
    while context.channel.isWritable {
      var buffer = ByteBuffer()
      while buffer.readableBytes < 2 * Limits.frameLength, mux?.next(into: &buffer) == true {}
      guard buffer.readableBytes > 0 else { break }
      context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }
    deliver()
  }

  /// Pumps when the loop has run all tasks queued up to now. Messages that the owner sends in one go (an answer and its
  /// finish) then are one TLS record and one write, and wake the peer once.
  private func pumpSoon(_ count: Int = 0) {
    if count > 0 { pulse?.sent(core.now) }
    unpumped += count
    // A burst leaves as it comes: it must not fill the queues while the socket is idle.
    if unpumped >= 2 * Limits.frameLength { return pump() }
    guard !isPumpDue else { return }
    isPumpDue = true
    core.loop.soon { [self] in
      if isPumpDue { pump() }
    }
  }

  private func write(_ frame: Frame) {
    guard let context else { return }
    var buffer = context.channel.allocator.buffer(capacity: Frame.headerLength + frame.payload.readableBytes)
    frame.write(to: &buffer)
    context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
  }

  // MARK: Calls of the owner

  func sendControl(_ bytes: [UInt8]) {
    do throws(SegueError) {
      try mux?.sendControl(bytes)
      pumpSoon(bytes.count)
    } catch {
      end(error, goodbye: .overload)
    }
  }

  /// Opens a channel under the owner's id; false, with an event of the channel's end, if that fails.
  func openChannel(_ id: ChannelID, first: [UInt8]) -> Bool {
    do throws(SegueError) {
      guard let number = try mux?.openChannel(first: first) else {
        throw SegueError(.connectionUnavailable, "The device is not linked.")
      }
      bind(number, id)
      pumpSoon(first.count)
      return true
    } catch {
      core.deliver(.channelClosed(id, error))
      return false
    }
  }

  func send(_ bytes: [UInt8], on id: ChannelID) {
    guard let number = numbers[id] else { return }
    mux?.send(bytes, on: number)
    pumpSoon(bytes.count)
  }

  func finish(_ id: ChannelID) {
    guard let number = numbers[id] else { return }
    mux?.finish(number)
    pumpSoon()
  }

  func stopReading(_ id: ChannelID) {
    guard let number = numbers[id] else { return }
    mux?.stopReading(number)
    pumpSoon()
  }

  func reset(_ id: ChannelID, _ error: SegueError) {
    guard let number = numbers[id] else { return }
    mux?.reset(number, error)
    pumpSoon()
  }

  func consumed(_ count: Int, on id: ChannelID) {
    guard let number = numbers[id] else { return }
    mux?.consumed(count, on: number)
    forgetIfDrained(id, number)
    pumpSoon()
  }

  func consumedControl(_ count: Int) {
    mux?.consumedControl(count)
    pumpSoon()
  }

  /// Asks for a sign of life now.
  func probe() {
    pulse?.probe(core.now)
  }

  /// Called when another link beats.
  func join() {
    pulse?.join(core.now)
  }

  // MARK: The end

  /// Ends the connection: at once for the core and the owner; the socket closes with TLS's shutdown, within a second.
  /// `quiet` writes no log line, for an end that is no fault.
  func end(_ error: SegueError, goodbye: Goodbye?, quiet: Bool = false) {
    // Messages that were sent before the end go out before the goodbye.
    if isPumpDue { pump() }
    guard state != .closed else { return }
    let before = state
    if before == .tls { core.failed(self, error, quiet: quiet) } else if !quiet { core.logEnd(self, error) }
    if before != .tls, let goodbye { write(goodbye.frame) }
    state = .closed
    timer?.cancel()
    pulse?.stop()
    mux = nil
    for number in ids.keys.sorted() { unbind(number, error) }
    for id in numbers.keys { core.channelEnded(id) }
    numbers = [:]
    decoder = FrameDecoder()
    core.ended(self, wasUp: before == .up, error)
    context?.close(promise: nil)
  }

  private func bind(_ number: UInt32, _ id: ChannelID) {
    ids[number] = id
    numbers[id] = number
  }

  private func unbind(_ number: UInt32, _ error: SegueError?) {
    guard let id = ids.removeValue(forKey: number) else { return }
    forgetIfDrained(id, number)
    core.deliver(.channelClosed(id, error))
  }

  /// An ended channel is still known while the owner has bytes of it to consume.
  private func forgetIfDrained(_ id: ChannelID, _ number: UInt32) {
    guard ids[number] == nil, state == .closed || mux?.isDraining(number) != true else { return }
    numbers[id] = nil
    core.channelEnded(id)
  }

  // MARK: Time

  private func startDeadline(_ message: String) {
    timer?.cancel()
    timer = core.loop.timer(after: core.settings.handshakeTime) { [self] in
      self.purpose.wasNoQuestion()
      self.end(SegueError(.connectionUnavailable, message), goodbye: nil)
    }
  }

  private func act(_ act: Pulse.Act) {
    switch act {
    case .beat:
      mux?.beat()
      pump()
      core.beats(self)
    case .ping:
      mux?.ping()
      pump()
    case .lost: end(SegueError(.connectionUnavailable, "The device no longer answers."), goodbye: nil)
    }
  }
}
