import SegueBus
import SegueCore

/// The way to the service of this user, which is started where it does not run.
final class ServiceDoor {
  private let loop: EventLoop
  private let folder: SessionFolder
  private var backoff = Backoff()
  private var timer: LoopTimer?
  /// This door has started the service, which ends when no process needs it.
  private var hasStarted = false

  static let name = "service"

  init(_ loop: EventLoop, _ folder: SessionFolder) {
    self.loop = loop
    self.folder = folder
  }

  /// Calls `ready` with a connection, sooner or later.
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

  /// Opens again after a while: the service is not there, or its connection has ended.
  func openAgain(_ ready: @escaping (FrameChannel) -> Void) {
    let time = backoff.failed(at: .now)
    // A service that was started and did not come is started again.
    if time == Limits.reconnectTime { hasStarted = false }
    timer = loop.timer(after: time) { [weak self] in self?.open(ready) }
  }

  func close() { timer?.cancel() }
}
