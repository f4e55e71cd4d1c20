import SegueBus
import SegueCore

/// The way to the service of this user, which is started where it does not run.
final class ServiceDoor {
  private let loop: EventLoop
  private let folder: SessionFolder
  private var backoff = Backoff()
  private var timer: LoopTimer?
  /// Why it is started anew each time: it ends when nobody needs it.
  private var hasStarted = false

  static let name = "service"

  init(_ loop: EventLoop, _ folder: SessionFolder) {
    self.loop = loop
    self.folder = folder
  }

  /// Gives a connection, sooner or later.
  func open(_ ready: @escaping (FrameChannel) -> Void) {
    if let socket = folder.connect(to: Self.name), let channel = try? FrameChannel(loop, socket: socket) {
      backoff.succeeded(at: .now)
      hasStarted = false
      return ready(channel)
    }
    if !hasStarted {
      hasStarted = true
      try? ShellCommands.detach(["--serve"])
    }
    openAgain(ready)
  }

  /// The same after a while: it is not there, or the connection that it gave has ended.
  func openAgain(_ ready: @escaping (FrameChannel) -> Void) {
    let time = backoff.failed(at: .now)
    // One that was started and did not come is started again.
    if time == Limits.reconnectTime { hasStarted = false }
    timer = loop.timer(after: time) { [weak self] in self?.open(ready) }
  }

  func close() { timer?.cancel() }
}
