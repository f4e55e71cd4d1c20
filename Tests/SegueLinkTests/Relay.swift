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
    let splits = Atomic<Bool>(false)
  }

  /// The connections that were accepted.
  private final class Carried: @unchecked Sendable {
    // On the relay's only loop.
    var channels: [any Channel] = []
    var pipes: [Pipe] = []
  }

  var port: UInt16 { UInt16(listener.localAddress?.port ?? 0) }
  var isBlackHole: Bool {
    get { flag.value.load(ordering: .relaxed) }
    set { flag.value.store(newValue, ordering: .relaxed) }
  }

  /// Whether it keeps the last bytes of whatever is longer than a heartbeat, until `release`.
  var splits: Bool {
    get { flag.splits.load(ordering: .relaxed) }
    set { flag.splits.store(newValue, ordering: .relaxed) }
  }

  /// Carries what it has kept.
  func release() throws {
    splits = false
    try group.next().submit { [carried] in for pipe in carried.pipes { pipe.release() } }.wait()
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
              for (from, to) in [(inside, outside), (outside, inside)] {
                let pipe = Pipe(NIOLoopBound(to, eventLoop: loop), flag)
                carried.pipes.append(pipe)
                try from.pipeline.syncOperations.addHandler(pipe)
              }
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
    /// The end of what was split, and all that has come since.
    private var kept: ByteBuffer?

    init(_ other: NIOLoopBound<any Channel>, _ flag: Flag) {
      self.other = other
      self.flag = flag
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      flag.reads.add(1, ordering: .relaxed)
      // A connection that lost bytes once stays dead: TCP's order would be broken.
      if flag.value.load(ordering: .relaxed) { swallowed = true }
      guard !swallowed else { return }
      var bytes = unwrapInboundIn(data)
      if kept != nil {
        kept?.writeBuffer(&bytes)
      } else if flag.splits.load(ordering: .relaxed), bytes.readableBytes > 50,
        let begin = bytes.readSlice(length: bytes.readableBytes - 10)
      {
        kept = bytes
        other.value.writeAndFlush(begin, promise: nil)
      } else {
        other.value.writeAndFlush(bytes, promise: nil)
      }
    }

    func release() {
      if let kept { other.value.writeAndFlush(kept, promise: nil) }
      kept = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
      if !swallowed, !flag.value.load(ordering: .relaxed) { other.value.close(promise: nil) }
    }
  }
}
