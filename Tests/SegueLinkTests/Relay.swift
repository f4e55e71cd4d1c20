import NIOCore
import NIOPosix
import Synchronization

/// A TCP relay that can stop carrying, without closing anything: a network that swallows packets.
final class Relay: Sendable {
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let listener: any Channel
  private let flag: Flag
  private let carried: Carried

  final class Flag: Sendable {
    let value = Atomic<Bool>(false)
    let reads = Atomic<Int>(0)
  }

  /// The connections that were accepted.
  private final class Carried: @unchecked Sendable {
    // On the relay's only loop.
    var channels: [any Channel] = []
  }

  var port: UInt16 { UInt16(listener.localAddress?.port ?? 0) }
  var isBlackHole: Bool {
    get { flag.value.load(ordering: .relaxed) }
    set { flag.value.store(newValue, ordering: .relaxed) }
  }

  /// How often it has been given something to carry.
  var reads: Int { flag.reads.load(ordering: .relaxed) }

  init(to port: UInt16) throws {
    let flag = Flag()
    self.flag = flag
    let carried = Carried()
    self.carried = carried
    listener = try ServerBootstrap(group: group)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { inside in
        carried.channels.append(inside)
        return ClientBootstrap(group: inside.eventLoop).channelOption(.autoRead, value: false)
          .connect(host: "127.0.0.1", port: Int(port))
          .flatMap { outside in
            inside.eventLoop.makeCompletedFuture {
              let loop = inside.eventLoop
              try inside.pipeline.syncOperations.addHandler(Pipe(NIOLoopBound(outside, eventLoop: loop), flag))
              try outside.pipeline.syncOperations.addHandler(Pipe(NIOLoopBound(inside, eventLoop: loop), flag))
              outside.setOption(.autoRead, value: true).and(inside.setOption(.autoRead, value: true))
                .whenComplete { _ in }
            }
          }
      }
      .bind(host: "127.0.0.1", port: 0).wait()
  }

  /// How many connections have come.
  func count() throws -> Int { try group.next().submit { [carried] in carried.channels.count }.wait() }

  /// Closes all that it carries.
  func cut() throws {
    try group.next().submit { [carried] in for channel in carried.channels { channel.close(promise: nil) } }.wait()
  }

  func stop() { try? group.syncShutdownGracefully() }

  private final class Pipe: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let other: NIOLoopBound<any Channel>
    private let flag: Flag
    private var swallowed = false

    init(_ other: NIOLoopBound<any Channel>, _ flag: Flag) {
      self.other = other
      self.flag = flag
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      flag.reads.add(1, ordering: .relaxed)
      // A connection that lost bytes once stays dead: TCP's order would be broken.
      if flag.value.load(ordering: .relaxed) { swallowed = true }
      if !swallowed { other.value.writeAndFlush(unwrapInboundIn(data), promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
      if !swallowed, !flag.value.load(ordering: .relaxed) { other.value.close(promise: nil) }
    }
  }
}
