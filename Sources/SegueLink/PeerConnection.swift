import Glibc
import NIOCore
import NIOSSL
import NIOTLS
import SegueCore

/// One TCP connection, from its first byte to its last: TLS, the welcomes, then the `Traffic` of a link.
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
  let socketEnd = SocketEnd()
  /// The peer's welcome; nil before.
  private(set) var theirs: Welcome?
  /// The link's traffic; nil before it is up.
  private(set) var traffic: Traffic?

  // The core forgets a connection when its socket is closed; that breaks this reference cycle.
  private let core: LinkCore
  private var context: ChannelHandlerContext?
  private var decoder = FrameDecoder()
  private var timer: SocketTimer?
  private var chargeLimit: ChargeLimit

  init(token: UInt64, origin: Origin, dial: UInt64? = nil, core: LinkCore) {
    self.token = token
    self.origin = origin
    self.dial = dial
    self.core = core
    chargeLimit = ChargeLimit(core.settings)
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
    // TCP's user time-out has noticed it (`Heartbeat`).
    if (error as? IOError)?.errnoCode == ETIMEDOUT, traffic != nil { return end(Traffic.silent, goodbye: nil) }
    end(SegueError(.connectionUnavailable, "The connection failed: \(ConnectionError.sentence(error))."), goodbye: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    chargeLimit.unpaid.opened += bytes.readableBytes
    guard state != .closed else { return }
    traffic?.heartbeat?.heard()
    decoder.append(bytes)
    // Each is said once of all that was read together, since frames that cost no credit may come by the ten thousand.
    var (isAnswered, hasSign, count) = (false, false, 0)
    do throws(SegueError) {
      while state != .closed, let frame = try decoder.next() {
        try receive(frame)
        isAnswered = isAnswered || frame.kind == .pong
        hasSign = hasSign || frame.kind == .pong || frame.kind == .heartbeat
        count += 1
      }
    } catch {
      end(error, goodbye: .violation)
    }
    if isAnswered { core.answered(self) }
    traffic?.setQuiet(hasSign && !isAnswered && count == 1)
    if hasSign { traffic?.heartbeat?.heardSign() }
  }

  func channelReadComplete(context: ChannelHandlerContext) { traffic?.pump() }

  func channelWritabilityChanged(context: ChannelHandlerContext) { traffic?.pump() }

  // MARK: From unauthenticated connection to peer

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
      // Bytes of the socket, whatever TLS made of them.
      channel.meter = { [weak self] count in
        guard let self else { return 0 }
        return chargeLimit.pay(sealed: count, now: core.now)
      }
    }
    core.authenticated(self)
    // The device with the larger id sends its welcome first; the other one answers when it has chosen this link.
    if state == .welcome, !core.breaksTies(with: id) { sendWelcome() }
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
      throw SegueError(.protocolViolation, "The first frame is not a welcome.")
    }
    let welcome = try Welcome(frame.payload)
    theirs = welcome
    do throws(SegueError) {
      _ = try Welcome.common(Welcome.versions, welcome.versions)
    } catch {
      // The other side must get our versions, to show the same error to its user.
      if core.breaksTies(with: peer) { sendWelcome() }
      core.refuse(self, error)
      return end(error, goodbye: .version)
    }
    if core.breaksTies(with: peer) {
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
    guard let peer, let theirs, let context else { return }
    state = .up
    decoder.limit = Limits.frameLength
    timer?.cancel()
    let traffic = Traffic(of: self, with: peer, theirs, context, core)
    self.traffic = traffic
    core.up(self)
    traffic.heartbeat?.begin()
  }

  private func sendWelcome() {
    var welcome = Welcome(window: max(core.settings.window, Flow.leastWindow), name: core.name)
    welcome.isDistinct = core.isDistinct
    write(Frame(kind: .welcome, payload: welcome.payload))
  }

  // MARK: Frames

  private func receive(_ frame: Frame) throws(SegueError) {
    switch state {
    case .welcome: try receiveWelcome(frame)
    case .up where frame.kind == .goodbye, .held where frame.kind == .goodbye: receiveGoodbye(frame)
    case .up:
      chargeLimit.unpaid.frames += 1
      chargeLimit.unpaid.charge += try traffic?.receive(frame) ?? 0
    case .tls, .held: throw SegueError(.protocolViolation, "A frame before the welcome.")
    case .closed: break
    }
  }

  private func receiveGoodbye(_ frame: Frame) {
    let goodbye = Goodbye(frame.payload)
    end(goodbye.error, goodbye: nil, quiet: goodbye == .duplicate || goodbye == .stopping)
  }

  private func write(_ frame: Frame) {
    guard let context else { return }
    var buffer = context.channel.allocator.buffer(capacity: Frame.headerLength + frame.payload.readableBytes)
    frame.write(to: &buffer)
    context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
  }

  // MARK: The end

  /// Ends the connection: at once for the core and the owner; the socket closes with TLS's shutdown, within a second.
  /// `quiet` writes no log line, for an end that is no fault.
  func end(_ error: SegueError, goodbye: Goodbye?, quiet: Bool = false) {
    // Frames that were sent before the end leave before the goodbye.
    traffic?.flush()
    guard state != .closed else { return }
    let before = state
    if before == .tls { core.failed(self, error, quiet: quiet) } else if !quiet { core.logEnd(self, error) }
    if before != .tls, let goodbye { write(goodbye.frame) }
    state = .closed
    timer?.cancel()
    traffic?.end(error)
    decoder = FrameDecoder()
    core.ended(self, wasUp: before == .up, error)
    context?.close(promise: nil)
  }

  // MARK: Time

  private func startDeadline(_ message: String) {
    timer?.cancel()
    timer = core.loop.timer(after: core.settings.handshakeTime) { [self] in
      self.purpose.wasNoProbe()
      self.end(SegueError(.connectionUnavailable, message), goodbye: nil)
    }
  }
}
