import CLinux
import CTerminal
import Glibc
import SegueBus
import SegueCore

/// A viewer: one terminal that looks at one session.
final class Viewer {
  /// Where a viewer's connection comes from.
  protocol Source: AnyObject {
    /// By which its messages name the other device; nil for this one.
    var device: String? { get }
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
  /// A line of the session's is behind one of ours.
  private var hidesLine = false

  init(_ loop: EventLoop, _ source: any Source, signals: Int32) throws(SegueError) {
    self.loop = loop
    self.source = source
    self.signals = signals
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
    // Whatever ends it has left the terminal.
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
    channel.send(
      ViewerMessage.hello(version: ViewerMessage.version, name: ShellNames.device, size: terminal.size).frame)
  }

  private func lost(_ reason: FrameChannel.End) {
    guard status == nil else { return }
    channel = nil
    if let refusal { return end(255, refusal) }
    guard let device else { return end(255, "the session was killed") }
    let what = reason == .closed ? "\(device) is not reached" : "what \(device) sends is not understood"
    terminal.note("\(what); it is tried again. Enter ~ . leaves")
    connect()
  }

  /// The other device inside a sentence; nil for this one.
  private var device: String? { source.device.map { DisplayText.quoted($0) } }

  private func take(_ message: SessionMessage) throws(ProtocolFailure) {
    switch message {
    case .welcome(let version, let session):
      guard version == ViewerMessage.version else {
        return end(
          255,
          "the session speaks version \(version), and not \(ViewerMessage.version); update the older segue-shell")
      }
      self.session = session
    case .output(let bytes):
      terminal.show(bytes)
      if terminal.isFull { channel?.setPaused(true) }
    case .status(let title, let others):
      let shown = title.isEmpty ? "segue-shell \(session)" : title
      terminal.setTitle(others.isEmpty ? shown : "[shared with \(others.joined(separator: ", "))] \(shown)")
    case .ended(let status):
      end(Int32(status), refusal)
    case .refused(let reason):
      // Another device's words are none of ours.
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
      if hidesLine { channel?.send(ViewerMessage.redraw.frame) }
      hidesLine = false
      channel?.send(ViewerMessage.input(bytes).frame)
    case .detach: leave(0, "detached from session \(session)")
    case .stop: stop()
    case .help:
      hidesLine = true
      terminal.note("~. detaches   ~^Z stops this viewer   ~~ types ~   (after Enter)")
    }
  }

  private func leave(_ status: Int32, _ line: String?) {
    channel?.send(ViewerMessage.leaves.frame)
    end(status, line)
  }

  private func takeSignals() {
    while case let number = segue_terminal_next_signal(signals), number != 0 {
      switch number {
      case SIGWINCH: channel?.send(ViewerMessage.resized(terminal.size).frame)
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
    channel?.send(ViewerMessage.resized(terminal.size).frame)
    channel?.send(ViewerMessage.redraw.frame)
  }
}

/// A connection that is there once: to a session of this device.
final class LocalSource: Viewer.Source {
  let device: String? = nil
  private var channel: FrameChannel?

  init(_ channel: FrameChannel) { self.channel = channel }

  func connect(_ ready: @escaping (Result<FrameChannel, SegueError>) -> Void) {
    defer { channel = nil }
    ready(channel.map { .success($0) } ?? .failure(SegueError(.notFound, "the session is gone")))
  }
}
