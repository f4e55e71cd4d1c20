import Glibc
import NIOCore
import SegueCore

/// Keeps a listener from turning on the spot when the process has no descriptor left: what waits to be accepted makes it
/// readable for ever. A descriptor that is held in reserve lets one connection be accepted, and closed, so that the other
/// side is told; then the listener rests.
final class AcceptPause: ChannelInboundHandler {
  typealias InboundIn = any Channel

  private let exhausted: () -> Void
  private var reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)
  private var isPaused = false

  /// `exhausted` is called whenever there is none left.
  init(exhausted: @escaping () -> Void) { self.exhausted = exhausted }

  deinit { if reserve >= 0 { Glibc.close(reserve) } }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard reserve < 0 else { return context.fireChannelRead(data) }
    // It has the descriptor that was in reserve.
    let channel = unwrapInboundIn(data)
    channel.close(promise: nil)
    reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let code = (error as? IOError)?.errnoCode, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) else {
      return context.fireErrorCaught(error)
    }
    exhausted()
    if reserve >= 0 {
      Glibc.close(reserve)
      reserve = -1
      return
    }
    guard !isPaused else { return }
    isPaused = true
    let channel = context.channel
    _ = channel.setOption(.autoRead, value: false)
    context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(Limits.acceptPause))) { [self] in
      isPaused = false
      if reserve < 0 { reserve = open("/dev/null", O_RDONLY | O_CLOEXEC) }
      _ = channel.setOption(.autoRead, value: true)
    }
  }
}
