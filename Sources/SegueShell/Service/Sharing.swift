import SegueBus
import SegueCore

/// A shared session's connection to the service.
final class Sharing {
  /// The service says what this device is called.
  var named: ((String) -> Void)?

  private let door: ServiceDoor
  private var session: ServiceMessage.Session
  private var title: String
  private var channel: FrameChannel?
  private var isClosed = false
  /// When the service was told last that it is used.
  private var toldOfUse: Instant?
  /// When it was used last; at first, when it was shared.
  private var lastUse = Instant.now

  init(_ door: ServiceDoor, _ session: ServiceMessage.Session, title: String) {
    self.door = door
    self.session = session
    self.title = title
    door.open { [weak self] in self?.opened($0) }
  }

  private func opened(_ channel: FrameChannel) {
    guard !isClosed else { return channel.close() }
    self.channel = channel
    channel.received = { [weak self] frame throws(ProtocolFailure) in
      guard case .named(let device) = try ServiceMessage(frame) else { throw ProtocolFailure("what only others say") }
      self?.named?(device)
    }
    channel.ended = { [weak self] _ in
      guard let self else { return }
      self.channel = nil
      door.openAgain { [weak self] in self?.opened($0) }
    }
    let idle = UInt32(clamping: lastUse.time(until: .now))
    channel.send(ServiceMessage.shares(session, title: title, idle: idle).frame)
  }

  /// Whether the service was not told just now that it is used.
  var isToBeTold: Bool { toldOfUse.map { $0.time(until: .now) >= Limits.announceInterval } ?? true }

  /// The user has done something in it, on this device, or has named it.
  func used(title: String, label: String) {
    toldOfUse = .now
    lastUse = .now
    if title != self.title || label != session.label {
      self.title = title
      session.label = label
      channel?.send(ServiceMessage.titled(title, label: label).frame)
    }
    channel?.send(ServiceMessage.used.frame)
  }

  /// A viewer of another device wants another session. Where the service cannot be told, the viewer comes again.
  func pass(_ hello: ViewerMessage, _ input: FileDescriptor, _ output: FileDescriptor) {
    _ = channel?.send(ServiceMessage.passes(hello: hello.frame.payload).frame, with: [input, output])
  }

  func close() {
    isClosed = true
    named = nil
    door.close()
    channel?.close()
    channel = nil
  }
}
