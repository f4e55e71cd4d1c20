import NIOCore

/// The handler below TLS: closes the socket without TLS's close_notify, which the other side might never answer.
final class SocketEnd: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer

  private var context: ChannelHandlerContext?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func close() { context?.close(promise: nil) }
}
