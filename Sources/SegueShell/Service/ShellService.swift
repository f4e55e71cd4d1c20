import CLinux
import CTerminal
import Glibc
import SegueBus
import SegueCore
import SegueRuntime

/// The application `org.segue.Shell`: offers the shared sessions of this device, and opens terminals on those of others.
/// One process for each user, started by a shared session or by the session bus. It carries no bytes: it hands the
/// streams' descriptors to sessions and viewers, which go on without it.
public final class ShellService {
  public static let appID = "org.segue.Shell"
  public static let activityType = "org.segue.shell.session"

  /// A shared session.
  private final class Shared {
    let name: String
    let channel: FrameChannel
    let activity: Activity

    init(_ name: String, _ channel: FrameChannel, _ activity: Activity) {
      self.name = name
      self.channel = channel
      self.activity = activity
    }
  }

  /// Another device's session that is continued here.
  private final class Continued {
    let activity: Activity
    let device: String
    /// Its viewer, when that has come.
    var channel: FrameChannel?
    /// Streams that wait for it.
    var streams: StreamPair?
    var failure: String?
    var backoff = Backoff()

    init(_ activity: Activity, device: String) {
      self.activity = activity
      self.device = device
    }
  }

  private let loop: EventLoop
  private let folder: SessionFolder
  private let listener: FileDescriptor
  private let application: Application
  private let type: ActivityType
  private var shared: [Shared] = []
  private var continued: [String: Continued] = [:]
  /// Those that have not said who they are.
  private var silent: [ObjectIdentifier: FrameChannel] = [:]
  private var watches: [LoopWatch] = []
  private var hasEnded = false
  private var idle: LoopTimer?

  private init(_ folder: SessionFolder, _ listener: FileDescriptor) throws(SegueError) {
    guard let id = AppID(Self.appID), let type = ActivityType(Self.activityType) else {
      throw SegueError(.invalidArgument, "\(Self.appID) is no application's id.")
    }
    loop = try EventLoop()
    self.folder = folder
    self.listener = listener
    self.type = type
    application = try Application(appID: id, busAddress: nil, ownsAppID: false)
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
      continueHere(activity, restoration.continuation)
    }
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

  /// It ends when nothing has needed it for some time.
  private func rest() {
    idle?.cancel()
    idle = nil
    guard shared.isEmpty, continued.isEmpty else { return }
    idle = loop.timer(after: Limits.shellLaunchTime) { [unowned self] in hasEnded = true }
  }

  private func log(_ text: String) {
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
    case .shares(let name, let title): share(name, title, channel)
    case .views(let token): try view(token, channel)
    default: throw ProtocolFailure("no greeting")
    }
  }

  // MARK: Offering

  private func share(_ name: String, _ title: String, _ channel: FrameChannel) {
    guard SessionFolder.isName(name), shared.count < Limits.shellSessions else { return channel.close() }
    let activity = Activity(application: application, type: type)
    let session = Shared(name, channel, activity)
    shared.append(session)
    activity.delegate.didReceiveStreams = { [unowned self] _, streams in bring(streams, to: name) }
    do throws(SegueError) {
      try activity.setTitle(title)
      try activity.setSupportsStreams(true)
      try activity.setUserInfo([.string("session"): .string(name)])
    } catch {
      log(error.message)
    }
    channel.received = { [unowned self, unowned session] frame throws(ProtocolFailure) in
      switch try ServiceMessage(frame) {
      case .titled(let title): try? session.activity.setTitle(title)
      case .used:
        // What was continued elsewhere is on offer there again when something has happened here since.
        try? session.activity.setNeedsSave(true)
        if !session.activity.isCurrent { application.makeCurrent(session.activity) }
      default: throw ProtocolFailure("what only others say")
      }
    }
    channel.ended = { [unowned self, unowned session] _ in unshare(session) }
    application.makeCurrent(activity)
    rest()
  }

  /// It has ended.
  private func unshare(_ session: Shared) {
    application.invalidate(session.activity)
    shared.removeAll { $0 === session }
    // Another one is what the user does here.
    if let last = shared.last { application.makeCurrent(last.activity) }
    rest()
  }

  /// Another device looks at a session: the streams become one of its viewers.
  private func bring(_ streams: StreamPair, to name: String) {
    guard let socket = folder.connect(to: name), let channel = try? FrameChannel(loop, socket: socket),
      channel.send(ViewerMessage.brings.frame, with: [streams.input, streams.output])
    else { return log("session \(name) does not answer") }
    channel.close()
  }

  // MARK: Continuing

  private func continueHere(_ activity: Activity, _ continuation: Continuation) -> Bool {
    guard continued.count < Limits.shellSessions else { return false }
    let token = Identifier.random().hex
    do throws(SegueError) {
      guard let program = realpath("/proc/self/exe", nil) else {
        throw SessionFolder.failure("This program is not found")
      }
      defer { free(program) }
      try TerminalProgram.open(
        [String(cString: program), "--continued", token],
        activationToken: String(cString: continuation.activationTokenText.pointer))
    } catch {
      log("\(error.message) \(error.advice)")
      return false
    }
    // It is kept as long as somebody may ask for streams.
    activity.retained()
    let entry = Continued(activity, device: ShellNames.clean(String(cString: continuation.deviceNameText.pointer)))
    continued[token] = entry
    request(entry)
    loop.timer(after: Limits.shellLaunchTime) { [weak self] in
      guard let self, entry.channel == nil else { return }
      log("the terminal did not start a viewer")
      continued[token] = nil
      rest()
    }
    rest()
    return true
  }

  private func view(_ token: String, _ channel: FrameChannel) throws(ProtocolFailure) {
    guard let entry = continued[token], entry.channel == nil else {
      return channel.send(ServiceMessage.failed("this continuation is over; continue the session again").frame)
    }
    entry.channel = channel
    channel.received = { [unowned self, unowned entry] frame throws(ProtocolFailure) in
      guard case .again = try ServiceMessage(frame) else { throw ProtocolFailure("what only others say") }
      requestLater(entry)
    }
    channel.ended = { [unowned self] _ in
      continued[token] = nil
      rest()
    }
    give(entry)
  }

  /// Asks for streams until they come, or it is known that they never will.
  private func request(_ entry: Continued) {
    do throws(SegueError) {
      try application.requestStreams(for: entry.activity) { [weak self, weak entry] result in
        guard let self, let entry else { return }
        switch result {
        case .success(let streams):
          entry.backoff.succeeded(at: .now)
          entry.streams = streams
          give(entry)
        case .failure(let error): failed(entry, error)
        }
      }
    } catch {
      failed(entry, error)
    }
  }

  /// What will not be otherwise, however often it is asked.
  private static let final: Set<SegueError.Code> = [
    .notFound, .invalidated, .accessDenied, .notHandled, .invalidArgument, .versionMismatch,
  ]

  private func failed(_ entry: Continued, _ error: SegueError) {
    if Self.final.contains(error.code) {
      entry.failure =
        error.code == .notFound ? "the session has ended, or has to be continued again" : error.message
      return give(entry)
    }
    requestLater(entry)
  }

  private func requestLater(_ entry: Continued) {
    loop.timer(after: entry.backoff.failed(at: .now)) { [weak self, weak entry] in
      if let self, let entry { request(entry) }
    }
  }

  /// Gives the viewer what has come for it.
  private func give(_ entry: Continued) {
    guard let channel = entry.channel else { return }
    if let failure = entry.failure {
      channel.send(ServiceMessage.failed(failure).frame)
    } else if let streams = entry.streams {
      entry.streams = nil
      if !channel.send(
        ServiceMessage.stream(device: entry.device).frame, with: [streams.input, streams.output])
      {
        channel.close()
      }
    }
  }
}
