import CLinux
import CTerminal
import Glibc
import SegueBus
import SegueControl
import SegueCore
import SegueRuntime

/// The application `org.segue.Shell`: offers the shared sessions of this device, and opens terminals on those of
/// others. One process for each user, started by a shared session, a viewer or the session bus. It carries no bytes: it
/// hands the streams' descriptors to sessions and viewers, which go on without it.
public final class ShellService {
  public static let appID = "org.segue.Shell"
  public static let activityType = "org.segue.shell.session"

  private let loop: EventLoop
  private let listener: FileDescriptor
  private let application: Application
  private let sessions: SharedSessions
  private let visits: Visits
  /// The channels whose peer has not said yet who it is.
  private var silent: [ObjectIdentifier: FrameChannel] = [:]
  private var watches: [LoopWatch] = []
  private var hasEnded = false
  private var idle: LoopTimer?

  private init(_ folder: SessionFolder, _ listener: FileDescriptor) throws(SegueError) {
    guard let id = AppID(Self.appID), let type = ActivityType(Self.activityType) else {
      throw SegueError(.invalidArgument, "\(Self.appID) is not an application's id.")
    }
    loop = try EventLoop()
    self.listener = listener
    application = try Application(appID: id, busAddress: nil, ownsAppID: false)
    sessions = SharedSessions(application, type, loop, folder, log: Self.log)
    visits = Visits(application, loop, log: Self.log)
  }

  /// Runs it, unless it runs already.
  public static func run() throws(SegueError) -> Int32 {
    let folder = try SessionFolder()
    guard let listener = try folder.listenAlone(as: ServiceDoor.name) else { return 0 }
    defer { folder.remove(ServiceDoor.name) }
    let signals = segue_terminal_signals()
    signal(SIGCHLD, SIG_IGN)
    let service = try ShellService(folder, listener)
    try service.run(signals)
    return 0
  }

  private func run(_ signals: Int32) throws(SegueError) {
    application.delegate.continueActivity = { [unowned self] _, activity, restoration in
      visits.continueHere(activity, restoration.continuation)
    }
    // A viewer that comes back says so itself.
    application.delegate.willContinue = { [unowned self] _, _ in visits.isChoosing }
    application.delegate.offersChanged = { [unowned self] _ in visits.offersChanged() }
    application.delegate.stateChanged = { [unowned self] _, status in
      if status == .registered { askName() } else { visits.daemonLost() }
    }
    sessions.changed = { [unowned self] in rest() }
    visits.changed = { [unowned self] in rest() }
    watches = [
      try loop.watch(application.descriptor, .readable) { [unowned self] _ in _ = application.dispatch() },
      try loop.watch(listener.raw, .readable) { [unowned self] _ in accept() },
      try loop.watch(signals, .readable) { [unowned self] _ in
        while case let number = segue_terminal_next_signal(signals), number != 0 {
          if [SIGTERM, SIGINT, SIGQUIT].contains(number) { hasEnded = true }
        }
      },
    ]
    application.ready()
    rest()
    while !hasEnded { loop.wait(milliseconds: -1) }
  }

  /// Asks for this device's name, which other devices show.
  private func askName() {
    DaemonQuery.ask(.getStatus, on: loop) { [weak self] (status: DaemonStatus?) in
      guard let self, let status else { return }
      sessions.device = ShellNames.clean(status.deviceName)
      visits.device = sessions.device
    }
  }

  /// Ends the service once no process has needed it for some time.
  private func rest() {
    idle?.cancel()
    idle = nil
    guard sessions.isEmpty, visits.isEmpty else { return }
    idle = loop.timer(after: Limits.shellLaunchTime) { [unowned self] in hasEnded = true }
  }

  private static func log(_ text: String) {
    let line = Array("segue-shell: \(DisplayText.clean(text, maximum: Limits.sentenceLength))\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }

  // MARK: Sessions and viewers of this device

  private func accept() {
    guard let socket = SessionFolder.accept(listener), silent.count < Limits.shellViewers,
      let channel = try? FrameChannel(loop, socket: socket)
    else { return }
    let key = ObjectIdentifier(channel)
    silent[key] = channel
    channel.received = { [unowned self, unowned channel] frame throws(ProtocolFailure) in
      silent[key] = nil
      try greeted(channel, ServiceMessage(frame))
    }
    channel.ended = { [unowned self] _ in silent[key] = nil }
    loop.timer(after: Limits.shellHelloTime) { [weak self] in self?.silent.removeValue(forKey: key)?.close() }
  }

  private func greeted(_ channel: FrameChannel, _ message: ServiceMessage) throws(ProtocolFailure) {
    switch message {
    case .shares(let session, let title, let idle): sessions.add(session, title: title, idle: idle, channel)
    case .views(let token): visits.view(token, channel)
    case .wants(let device, let alias, let activity):
      visits.want(device: device, alias: alias, activity: activity, channel)
    default: throw ProtocolFailure("no greeting")
    }
  }
}
