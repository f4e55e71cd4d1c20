import SegueBus
import SegueCore
import SegueRuntime

/// The shared sessions of this device, on offer to the others.
final class SharedSessions {
  private final class Shared {
    var session: ServiceMessage.Session
    let channel: FrameChannel
    let activity: Activity
    var lastUse: Instant

    init(_ session: ServiceMessage.Session, _ channel: FrameChannel, _ activity: Activity, lastUse: Instant) {
      self.session = session
      self.channel = channel
      self.activity = activity
      self.lastUse = lastUse
    }
  }

  private let application: Application
  private let type: ActivityType
  private let loop: EventLoop
  private let folder: SessionFolder
  private let log: (String) -> Void
  private var shared: [Shared] = []
  /// Called when a session has come or gone.
  var changed: (() -> Void)?
  /// This device's name; empty while it is not known.
  var device = "" {
    didSet { if device != oldValue { for one in shared { tellDevice(one.channel) } } }
  }

  init(
    _ application: Application, _ type: ActivityType, _ loop: EventLoop, _ folder: SessionFolder,
    log: @escaping (String) -> Void
  ) {
    self.application = application
    self.type = type
    self.loop = loop
    self.folder = folder
    self.log = log
  }

  var isEmpty: Bool { shared.isEmpty }

  /// `idle`: how many milliseconds ago it was used last.
  func add(_ session: ServiceMessage.Session, title: String, idle: UInt32, _ channel: FrameChannel) {
    guard SessionFolder.isName(session.name), shared.count < Limits.shellSessions else { return channel.close() }
    let activity = Activity(application: application, type: type)
    let one = Shared(session, channel, activity, lastUse: .now - UInt64(idle))
    shared.append(one)
    let name = session.name
    activity.delegate.didReceiveStreams = { [unowned self] _, streams in
      bring(streams.input, streams.output, to: name)
    }
    do throws(SegueError) {
      try activity.setTitle(title)
      try activity.setSupportsStreams(true)
      try activity.setUserInfo([.string("session"): .string(name)])
    } catch {
      log(error.message)
    }
    channel.received = { [unowned self, unowned one] frame throws(ProtocolFailure) in
      try take(try ServiceMessage(frame), of: one)
    }
    channel.ended = { [unowned self, unowned one] _ in remove(one) }
    tellDevice(channel)
    offerLastUsed()
    changed?()
  }

  /// The activity of the session that was used last is the current one: where the service was started again, the
  /// sessions come to it in any order.
  private func offerLastUsed() {
    guard let last = shared.max(by: { $0.lastUse < $1.lastUse }), !last.activity.isCurrent else { return }
    application.makeCurrent(last.activity)
  }

  private func tellDevice(_ channel: FrameChannel) {
    if !device.isEmpty { channel.send(ServiceMessage.named(device).frame) }
  }

  private func take(_ message: ServiceMessage, of one: Shared) throws(ProtocolFailure) {
    switch message {
    case .titled(let title, let label):
      one.session.label = label
      try? one.activity.setTitle(title)
    case .used:
      // A session that was continued elsewhere is offered there again once something has happened here since.
      try? one.activity.setNeedsSave(true)
      one.lastUse = .now
      offerLastUsed()
    case .passes(let hello):
      guard let input = one.channel.takeDescriptor(), let output = one.channel.takeDescriptor() else {
        throw ProtocolFailure("a viewer without descriptors")
      }
      pass(hello, input, output)
    default: throw ProtocolFailure("what only others say")
    }
  }

  private func remove(_ one: Shared) {
    application.invalidate(one.activity)
    shared.removeAll { $0 === one }
    offerLastUsed()
    changed?()
  }

  // MARK: Viewers of other devices

  /// Hands a viewer that has come to the session `name`.
  private func bring(_ input: FileDescriptor, _ output: FileDescriptor, to name: String, hello: [UInt8] = []) {
    guard let socket = folder.connect(to: name), let channel = try? FrameChannel(loop, socket: socket),
      channel.send(ViewerMessage.brings(hello: hello).frame, with: [input, output])
    else { return log("session \(name) does not answer") }
    channel.close()
  }

  /// Hands a viewer that has come to one session, and wants another, to that one.
  private func pass(_ hello: [UInt8], _ input: FileDescriptor, _ output: FileDescriptor) {
    guard case .hello(_, _, _, let wanted)? = try? ViewerMessage(ShellFrame(type: 1, payload: hello)) else { return }
    if let found = shared.first(where: { $0.session.isCalled(wanted) }) {
      return bring(input, output, to: found.session.name, hello: hello)
    }
    // A viewer that comes back sends the session's id, which no user has typed.
    let reason =
      Identifier(hex: wanted) != nil
      ? "the session has ended, or is not shared any more"
      : "no shared session is called \(DisplayText.quoted(wanted)); there are \(names)"
    _ = output.put(SessionMessage.refused(reason).frame.bytes)
  }

  private var names: String {
    shared.map { one in
      one.session.label.isEmpty ? one.session.name : "\(one.session.name) (\(one.session.label))"
    }.joined(separator: ", ")
  }
}
