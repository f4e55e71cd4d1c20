import NIOCore

/// Below TLS: closes the socket without a word to the other side, which might never answer it.
final class SocketEnd: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer

  private var context: ChannelHandlerContext?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func close() { context?.close(promise: nil) }
}
