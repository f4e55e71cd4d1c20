// forward server|client FD CERTIFICATE KEY HOST PORT: what stands between an application and TLS at the least, as a
// measure for continuation streams. Carries bytes between a socket that it was given and one connection of TLS 1.3 to
// that host, with the library that the link has, and no more than a channel's memory on the way. The server prints its
// port.

import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// One of two channels that stand back to back: reads only while the other one takes what it reads.
private final class Back: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  var other: Back?
  private var context: ChannelHandlerContext?
  private var wantsToRead = false

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    other?.context?.write(data, promise: nil)
  }

  func channelReadComplete(context: ChannelHandlerContext) { other?.context?.flush() }

  func channelInactive(context: ChannelHandlerContext) { other?.context?.close(promise: nil) }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { other?.readOn() }
  }

  func read(context: ChannelHandlerContext) {
    if let to = other?.context, !to.channel.isWritable { wantsToRead = true } else { context.read() }
  }

  private func readOn() {
    guard wantsToRead else { return }
    wantsToRead = false
    context?.read()
  }
}

private let arguments = CommandLine.arguments
guard arguments.count == 7, let end = Int32(arguments[2]), let port = Int(arguments[6]) else {
  fatalError("usage: forward server|client FD CERTIFICATE KEY HOST PORT")
}
private let host = arguments[5]
signal(SIGPIPE, SIG_IGN)
private let isServer = arguments[1] == "server"
private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
private let certificates = try NIOSSLCertificate.fromPEMFile(arguments[3]).map {
  NIOSSLCertificateSource.certificate($0)
}
private let key = try NIOSSLPrivateKey(file: arguments[4], format: .pem)

/// Puts the two ends back to back.
@Sendable private func join(_ secure: any Channel) -> EventLoopFuture<Void> {
  let inner = Back()
  let outer = Back()
  (inner.other, outer.other) = (outer, inner)
  let bound = NIOLoopBound(inner, eventLoop: secure.eventLoop)
  return secure.eventLoop.makeCompletedFuture {
    var configuration =
      isServer
      ? TLSConfiguration.makeServerConfiguration(certificateChain: certificates, privateKey: .privateKey(key))
      : TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv13
    configuration.certificateVerification = .none
    let context = try NIOSSLContext(configuration: configuration)
    let handler: any ChannelHandler =
      isServer ? NIOSSLServerHandler(context: context) : try NIOSSLClientHandler(context: context, serverHostname: nil)
    try secure.pipeline.syncOperations.addHandlers([handler, outer])
  }.flatMap {
    ClientBootstrap(group: secure.eventLoop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(bound.value) }
      }
      .withConnectedSocket(end).map { _ in }
  }
}

private let channel: any Channel
if isServer {
  let server = try ServerBootstrap(group: group)
    .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
    .childChannelInitializer { join($0) }
    .bind(host: host, port: port).wait()
  print(server.localAddress?.port ?? 0)
  fflush(nil)
  channel = server
} else {
  channel = try ClientBootstrap(group: group)
    .channelOption(.tcpOption(.tcp_nodelay), value: 1)
    .channelInitializer { join($0) }
    .connect(host: host, port: port).wait()
}
try channel.closeFuture.wait()
