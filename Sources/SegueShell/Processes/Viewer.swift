import CLinux
import CTerminal
import Glibc
import SegueBus
import SegueCore

/// A viewer: one terminal that looks at one session.
final class Viewer {
  /// Where a viewer's connection comes from.
  protocol Source: AnyObject {
    /// The other device's name in messages; nil for this one.
    var device: String? { get }
    /// This device's name, which is sent to the other one.
    var ownName: String { get }
    /// Called while a connection is waited for, where the other device offers none.
    var waits: (() -> Void)? { get set }
    /// Brings a connection, or a sentence that says why there is and will be none.
    func connect(_ ready: @escaping (Result<FrameChannel, SegueError>) -> Void)
  }

  private let loop: EventLoop
  private let terminal: ViewerTerminal
  private let source: any Source
  private let signals: Int32
  private var channel: FrameChannel?
  private var keys = EscapeKeys()
  private var quiet: LoopTimer?
  private var signalWatch: LoopWatch?
  /// The exit status, once it is known.
  private var status: Int32?
  private var session = ""
  private var refusal: String?
  /// A line of ours hides one of the session's.
  private var hidesLine = false
  /// The session that is wanted: as the user said, then by its id. Empty: the one that the connection leads to.
  private var wanted: String
  /// Keys that were typed and not sent.
  private var unsent = Unsent()
  private var isWelcome = false
  /// The size that was sent to the session last.
  private var toldSize = TerminalSize.usual
  private var saying: LoopTimer?
  /// Why nothing goes to the session.
  private var reason: String?

  /// Keys that are typed before the session's first message wait for it. Later, while the connection is cut, they would
  /// reach a screen that the user does not see: the viewer drops them and says so.
  private struct Unsent {
    var early: [UInt8]? = []
    var dropped = 0

    /// False where it is dropped.
    mutating func keep(_ bytes: [UInt8]) -> Bool {
      guard let early, early.count + bytes.count <= Limits.shellInput else {
        dropped += bytes.count
        return false
      }
      self.early = early + bytes
      return true
    }
  }

  init(_ loop: EventLoop, _ source: any Source, session: String = "", signals: Int32) throws(SegueError) {
    self.loop = loop
    self.source = source
    wanted = session
    self.signals = signals
    // Another device's session may come late, and the keys might be meant for something else by then.
    if source.device != nil { unsent.early = nil }
    terminal = try ViewerTerminal(loop)
  }

  /// Looks until the user leaves, or the session ends. The exit status.
  func run() throws(SegueError) -> Int32 {
    signalWatch = try loop.watch(signals, .readable) { [unowned self] _ in takeSignals() }
    terminal.typed = { [unowned self] in take($0) }
    terminal.drained = { [unowned self] in channel?.setPaused(terminal.isFull) }
    terminal.enter()
    connect()
    while status == nil { loop.wait(milliseconds: -1) }
    // `end` has left the terminal already; this call is a safeguard.
    terminal.leave(nil)
    return status ?? 0
  }

  private func end(_ status: Int32, _ line: String?) {
    guard self.status == nil else { return }
    self.status = status
    terminal.leave(line)
    channel?.finish()
  }

  // MARK: The connection

  private func connect() {
    source.waits = { [unowned self] in
      if let device { cut("\(device) has no session on offer; it is waited for") }
    }
    source.connect { [unowned self] result in
      guard status == nil else { return }
      switch result {
      case .success(let channel): begin(channel)
      case .failure(let error): end(255, error.message)
      }
    }
  }

  private func begin(_ channel: FrameChannel) {
    self.channel = channel
    terminal.begin()
    channel.received = { [unowned self] frame throws(ProtocolFailure) in try take(SessionMessage(frame)) }
    channel.ended = { [unowned self] end in lost(end) }
    toldSize = terminal.size
    channel.send(
      ViewerMessage.hello(version: ViewerMessage.version, name: source.ownName, size: toldSize, session: wanted).frame)
  }

  private func welcome(_ session: String, _ id: String) {
    self.session = session
    if source.device != nil { wanted = id }
    isWelcome = true
    if terminal.size != toldSize { tellSize() }
    if let early = unsent.early, !early.isEmpty { send(.input(early)) }
    unsent.early = nil
  }

  /// Sends only after the session's welcome: the connection may be on its way to another session.
  private func send(_ message: ViewerMessage) {
    if isWelcome { channel?.send(message.frame) }
  }

  private func tellSize() {
    toldSize = terminal.size
    send(.resized(toldSize))
  }

  private func lost(_ reason: FrameChannel.End) {
    guard status == nil else { return }
    channel = nil
    isWelcome = false
    if let refusal { return end(255, refusal) }
    guard let device else { return end(255, "the session was killed") }
    let what = reason == .closed ? "\(device) is not reached" : "what \(device) sends is not understood"
    cut("\(what); it is tried again")
    connect()
  }

  /// Says in its last line that nothing goes to the session now.
  private func cut(_ why: String) {
    reason = why
    // First what matters more: the line may be too short for all of it.
    let typed = unsent.dropped == 0 ? "" : "\(unsent.dropped) bytes typed are not sent. "
    terminal.note("\(typed)\(why). Enter ~ . leaves")
  }

  /// The connection is back, and the screen is being drawn: notes how many bytes were lost, once no more are.
  private func sayDropped() {
    guard unsent.dropped > 0 else { return }
    saying?.cancel()
    saying = loop.timer(after: Limits.shellPasteTime) { [unowned self] in
      guard status == nil, isWelcome else { return }
      hidesLine = true
      terminal.note("\(unsent.dropped) bytes typed while the line was cut were not sent")
      unsent.dropped = 0
    }
  }

  /// The other device inside a sentence; nil for this one.
  private var device: String? { source.device.map { DisplayText.quoted($0) } }

  private func take(_ message: SessionMessage) throws(ProtocolFailure) {
    switch message {
    case .welcome(let version, let session, let id):
      guard version == ViewerMessage.version else {
        return end(
          255,
          "the session speaks version \(version), and not \(ViewerMessage.version); update the older segue-shell")
      }
      welcome(session, id)
    case .output(let bytes):
      terminal.show(bytes)
      sayDropped()
      if terminal.isFull { channel?.setPaused(true) }
    case .status(let title, let others):
      let shown = title.isEmpty ? "segue-shell \(session)" : title
      terminal.setTitle(others.isEmpty ? shown : "[shared with \(others.joined(separator: ", "))] \(shown)")
    case .ended(let status):
      end(Int32(status), refusal)
    case .refused(let reason):
      // Another device's text must not pass for ours.
      refusal = device.map { "\($0) says: \(DisplayText.quoted(reason))" } ?? reason
    case .description: throw ProtocolFailure("an answer that nobody asked for")
    }
  }

  // MARK: The user

  private func take(_ bytes: [UInt8]) {
    // The terminal is gone.
    guard !bytes.isEmpty else { return end(255, nil) }
    quiet?.cancel()
    for action in keys.take(bytes) { perform(action) }
    guard keys.isWaiting else { return }
    quiet = loop.timer(after: Limits.shellPasteTime) { [unowned self] in
      if status == nil, let action = keys.quiet() { perform(action) }
    }
  }

  private func perform(_ action: EscapeKeys.Action) {
    switch action {
    case .type(let bytes):
      guard isWelcome else {
        if !unsent.keep(bytes), let reason { cut(reason) }
        return
      }
      if hidesLine { send(.redraw) }
      hidesLine = false
      send(.input(bytes))
    case .detach: leave(0, "detached from session \(session)")
    case .stop: stop()
    case .help:
      hidesLine = true
      terminal.note("~. detaches   ~^Z stops this viewer   ~~ types ~   (after Enter)")
    }
  }

  private func leave(_ status: Int32, _ line: String?) {
    send(.leaves)
    end(status, line)
  }

  private func takeSignals() {
    while case let number = segue_terminal_next_signal(signals), number != 0 {
      switch number {
      case SIGWINCH: tellSize()
      case SIGTSTP: stop()
      // Stopped by SIGSTOP, it has another's settings now.
      case SIGCONT: if terminal.isRaw { enterAgain() }
      default: leave(128 + number, nil)
      }
    }
  }

  private func stop() {
    terminal.leave("stopped")
    segue_terminal_stop()
    enterAgain()
  }

  private func enterAgain() {
    terminal.leave(nil)
    terminal.enter()
    tellSize()
    send(.redraw)
  }
}

/// A connection that is there once: to a session of this device.
final class LocalSource: Viewer.Source {
  let device: String? = nil
  let ownName = ""
  var waits: (() -> Void)?
  private var channel: FrameChannel?

  init(_ channel: FrameChannel) { self.channel = channel }

  func connect(_ ready: @escaping (Result<FrameChannel, SegueError>) -> Void) {
    defer { channel = nil }
    ready(channel.map { .success($0) } ?? .failure(SegueError(.notFound, "the session is gone")))
  }
}
