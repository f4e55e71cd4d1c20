import NIOCore
import NIOPosix
import SegueCore

/// Makes TCP connections to other devices.
struct Connector {
  let loop: any EventLoop
  let resolver: (any Resolver & Sendable)?
  let settings: LinkSettings

  /// Connects to the address, or to `socket`, which the address has led to before. `prepare` puts the handlers into each
  /// channel that is tried; a name may have several addresses.
  func connect(
    to address: LinkAddress, at socket: SocketAddress? = nil, prepare: @escaping @Sendable (any Channel) throws -> Void
  ) -> EventLoopFuture<any Channel> {
    let bootstrap = ClientBootstrap(group: loop)
      .resolver(resolver)
      .connectTimeout(.milliseconds(Int64(settings.connectTime)))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in channel.eventLoop.makeCompletedFuture { try prepare(channel) } }
    if let literal = socket ?? SocketAddress(literal: address) {
      return bootstrap.connect(to: literal)
    }
    return bootstrap.connect(host: address.host, port: Int(address.port))
  }
}
