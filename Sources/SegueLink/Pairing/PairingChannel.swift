import NIOCore
import NIOSSL
import NIOTLS
import SegueCore

/// A connection of two devices that pair, after TLS with ephemeral keys: frames of type control carry one message
/// each, and no other type is allowed.
final class PairingChannel: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  let number: UInt64
  let isDialled: Bool
  /// The hash of this side's ephemeral key.
  private let key: DeviceID
  private unowned let port: PairingPort
  private var context: ChannelHandlerContext?
  private var decoder = FrameDecoder()
  private var deadline: SocketTimer?
  /// Both ends have shown their ephemeral keys, and the owner knows.
  private(set) var isUp = false
  private var isOver = false
  /// Whether TCP is connected; a dial that never was reports its failure to its caller.
  private(set) var isConnected = false

  init(_ number: UInt64, isDialled: Bool, key: DeviceID, _ port: PairingPort) {
    self.number = number
    self.isDialled = isDialled
    self.key = key
    self.port = port
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    deadline = port.loop.timer(after: port.handshakeTime) { [weak self] in self?.end() }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    finish()
  }

  func channelActive(context: ChannelHandlerContext) {
    isConnected = true
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    finish()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { end() }

  /// Handles the end of TLS on the side that dialled; on the other side the accepting code calls `secured`.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if isDialled, case .handshakeCompleted(let alpn)? = event as? TLSUserEvent { secured(context, alpn) }
  }

  func secured(_ context: ChannelHandlerContext, _ alpn: String?) {
    guard !isUp, alpn == TLS.pairingALPN,
      let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate(),
      let other = Pin.device(of: [certificate]), other != key
    else { return end() }
    deadline?.cancel()
    isUp = true
    port.up(self, key: key, other: other)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard isUp, !isOver else { return }
    decoder.append(unwrapInboundIn(data))
    do throws(SegueError) {
      while !isOver, let frame = try decoder.next() {
        guard frame.kind == .control, frame.channel == 0 else { return end() }
        port.received(self, Array(buffer: frame.payload))
      }
    } catch {
      end()
    }
  }

  func send(_ bytes: [UInt8]) {
    guard let context, !isOver, bytes.count <= Limits.frameLengthBeforeWelcome else { return }
    var buffer = context.channel.allocator.buffer(capacity: Frame.headerLength + bytes.count)
    Frame(kind: .control, payload: ByteBuffer(bytes: bytes)).write(to: &buffer)
    context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
  }

  /// Closes the connection when all that was sent has left.
  func end() {
    guard !isOver else { return }
    let context = context
    finish()
    context?.close(promise: nil)
  }

  private func finish() {
    guard !isOver else { return }
    isOver = true
    deadline?.cancel()
    port.over(self)
  }
}
