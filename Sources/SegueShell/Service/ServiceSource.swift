import SegueBus
import SegueCore

/// Where the viewer of another device's session gets its connections from: the service, or the next one where that ends.
final class ServiceSource: Viewer.Source {
  private(set) var device: String?
  private(set) var ownName = ""
  var waits: (() -> Void)?

  private let loop: EventLoop
  private let door: ServiceDoor
  private var service: FrameChannel?
  /// The first word to the service.
  private var greeting: ServiceMessage
  /// There has been a connection, so that it is known whom to ask for.
  private var isKnown: Bool
  private var ready: ((Result<FrameChannel, SegueError>) -> Void)?

  /// Looks at a session of this device, by name: the one that has this activity on offer, or any, where it is empty.
  init(_ loop: EventLoop, _ folder: SessionFolder, device: String, activity: String) {
    self.loop = loop
    self.device = device
    door = ServiceDoor(loop, folder)
    greeting = .wants(device: device, alias: "", activity: activity)
    isKnown = true
  }

  /// Looks at what the service has begun to continue, at the other end of `service`.
  init(_ loop: EventLoop, _ folder: SessionFolder, _ service: FrameChannel, token: String) {
    self.loop = loop
    device = ""
    door = ServiceDoor(loop, folder)
    greeting = .views(token: token)
    isKnown = false
    opened(service)
  }

  func connect(_ ready: @escaping (Result<FrameChannel, SegueError>) -> Void) {
    self.ready = ready
    guard let service, service.isOpen else { return door.open { [unowned self] in opened($0) } }
    if isKnown { service.send(ServiceMessage.again.frame) }
  }

  private func opened(_ service: FrameChannel) {
    self.service = service
    service.received = { [unowned self, unowned service] frame throws(ProtocolFailure) in
      switch try ServiceMessage(frame) {
      case .stream(let device, let alias, let own):
        guard let input = service.takeDescriptor(), let output = service.takeDescriptor(),
          let channel = try? FrameChannel(loop, input: input, output: output)
        else { throw ProtocolFailure("a connection without descriptors") }
        self.device = device
        ownName = own
        isKnown = true
        greeting = .wants(device: device, alias: alias, activity: "")
        answer(.success(channel))
      case .waits: waits?()
      case .failed(let reason): answer(.failure(SegueError(.notFound, reason)))
      default: throw ProtocolFailure("what only others say")
      }
    }
    service.ended = { [unowned self] _ in
      self.service = nil
      // A connection that holds needs no service.
      guard ready != nil else { return }
      guard isKnown else { return answer(.failure(Self.serviceGone)) }
      door.openAgain { [unowned self] in opened($0) }
    }
    service.send(greeting.frame)
  }

  private static let serviceGone = SegueError(
    .connectionUnavailable, "segue-shell's service ended; continue the session again")

  private func answer(_ result: Result<FrameChannel, SegueError>) {
    let ready = ready
    self.ready = nil
    ready?(result)
  }
}
