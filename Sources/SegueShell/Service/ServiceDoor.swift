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

/// A shared session's word to the service.
final class Sharing {
  private let door: ServiceDoor
  private let session: String
  private var title: String
  private var channel: FrameChannel?

  init(_ door: ServiceDoor, session: String, title: String) {
    self.door = door
    self.session = session
    self.title = title
    door.open { [weak self] in self?.opened($0) }
  }

  private func opened(_ channel: FrameChannel) {
    self.channel = channel
    channel.ended = { [weak self] _ in
      guard let self else { return }
      self.channel = nil
      door.openAgain { [weak self] in self?.opened($0) }
    }
    channel.send(ServiceMessage.shares(session: session, title: title).frame)
  }

  /// The user has done something in it, on this device.
  func used(title: String) {
    if title != self.title {
      self.title = title
      channel?.send(ServiceMessage.titled(title).frame)
    }
    channel?.send(ServiceMessage.used.frame)
  }

  func close() {
    door.close()
    channel?.close()
    channel = nil
  }
}

/// Where the viewer of another device's session gets its connections from.
final class ServiceSource: Viewer.Source {
  private(set) var device: String? = ""
  private let service: FrameChannel
  private var ready: ((Result<FrameChannel, SegueError>) -> Void)?
  private var isFirst = true

  /// `service` is connected already; what it gives belongs to the same loop.
  init(_ loop: EventLoop, _ service: FrameChannel, token: String) {
    self.service = service
    service.received = { [unowned self] frame throws(ProtocolFailure) in
      switch try ServiceMessage(frame) {
      case .stream(let device):
        guard let input = service.takeDescriptor(), let output = service.takeDescriptor(),
          let channel = try? FrameChannel(loop, input: input, output: output)
        else { throw ProtocolFailure("a connection without descriptors") }
        self.device = device
        answer(.success(channel))
      case .failed(let reason): answer(.failure(SegueError(.notFound, reason)))
      default: throw ProtocolFailure("what only others say")
      }
    }
    service.ended = { [unowned self] _ in answer(.failure(Self.serviceGone)) }
    service.send(ServiceMessage.views(token: token).frame)
  }

  private static let serviceGone = SegueError(
    .connectionUnavailable, "segue-shell's service ended; continue the session again")

  private func answer(_ result: Result<FrameChannel, SegueError>) {
    let ready = ready
    self.ready = nil
    ready?(result)
  }

  func connect(_ ready: @escaping (Result<FrameChannel, SegueError>) -> Void) {
    self.ready = ready
    guard service.isOpen else { return answer(.failure(Self.serviceGone)) }
    if !isFirst { service.send(ServiceMessage.again.frame) }
    isFirst = false
  }
}
