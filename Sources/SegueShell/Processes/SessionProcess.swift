import CLinux
import CTerminal
import Glibc
import SegueBus
import SegueCore

/// The process of one session: the program on its terminal, the screen, and the viewers. It lives until the program
/// has ended, whoever looks.
public final class SessionProcess {
  private let loop: EventLoop
  private let folder: SessionFolder
  private let listener: FileDescriptor
  /// How it is called. By its id another device finds this session again, and no later one of the same name.
  private var own: ServiceMessage.Session
  private let terminal: SessionTerminal
  private var session: ShellSession
  private let start = Instant.now

  private var viewers = ViewerTable()
  private var watches: [LoopWatch] = []
  private var timer: LoopTimer?
  private var hasEnded = false
  /// Nil where it is not shared.
  private var sharing: Sharing?

  /// Throws what the program's failure is, or why there is no place for a session.
  private init(_ arguments: [String], label: String, size: TerminalSize) throws(Program.Failure) {
    let name: String
    do throws(SegueError) {
      loop = try EventLoop()
      folder = try SessionFolder()
      (name, listener) = try folder.listen()
    } catch { throw Program.Failure(error) }
    own = ServiceMessage.Session(name: name, id: Identifier.random().hex, label: label)
    session = ShellSession(name: name, id: own.id, size: size, device: ShellNames.device)
    do throws(Program.Failure) {
      terminal = try SessionTerminal(arguments, session: name, size: size)
    } catch {
      folder.remove(name)
      throw error
    }
  }

  /// Runs a session with the first viewer at descriptor `handed`. Returns when it is over.
  public static func run(
    _ arguments: [String], label: String, size: (rows: Int, columns: Int), isShared: Bool, handed: Int32
  ) -> Int32 {
    let socket = FileDescriptor(owning: handed)
    _ = segue_fcntl(handed, F_SETFD, FD_CLOEXEC)
    let signals = segue_terminal_signals()
    do throws(Program.Failure) {
      let process = try SessionProcess(
        arguments, label: label, size: TerminalSize(rows: size.rows, columns: size.columns))
      if isShared { process.share() }
      try process.run(first: socket, signals: signals)
      return 0
    } catch {
      // The first viewer is told, and gives the status of a program that cannot be started.
      _ = socket.put(
        SessionMessage.refused(error.message).frame.bytes + SessionMessage.ended(status: error.status).frame.bytes)
      return Int32(error.status)
    }
  }

  private func run(first: FileDescriptor, signals: Int32) throws(Program.Failure) {
    do throws(SegueError) {
      try watch(signals)
      add(try FrameChannel(loop, socket: first))
    } catch { throw Program.Failure(error) }
    while !hasEnded || !viewers.isEmpty { loop.wait(milliseconds: -1) }
    folder.remove(own.name)
  }

  private func watch(_ signals: Int32) throws(SegueError) {
    terminal.titled = { [unowned self] in handle(.title($0)) }
    terminal.written = { [unowned self] shown, leftAlternate in
      handle(
        .output(
          shown, scrolled: terminal.scrolled, isAlternate: terminal.isAlternate, leftAlternate: leftAlternate))
    }
    // Viewers wait for a program that reads nothing.
    terminal.isFullChanged = { [unowned self] in for channel in viewers.greeted { channel.setPaused($0) } }
    try terminal.begin(loop)
    watches = [
      try loop.watch(listener.raw, .readable) { [unowned self] _ in accept() },
      try loop.watch(terminal.process, .readable) { [unowned self] _ in programEnded() },
      try loop.watch(signals, .readable) { [unowned self] _ in takeSignals(signals) },
    ]
  }

  // MARK: Sharing

  private func share() {
    guard sharing == nil else { return }
    let sharing = Sharing(
      ServiceDoor(loop, folder), own, title: shownTitle)
    sharing.named = { [unowned self] in handle(.device($0)) }
    self.sharing = sharing
  }

  /// Viewers of other devices are put out.
  private func unshare() {
    guard let sharing else { return }
    self.sharing = nil
    sharing.close()
    for id in viewers.remote { putOut(id, "it is not shared any more") }
  }

  private func putOut(_ id: ShellSession.ViewerID, _ reason: String) {
    // One that has not said who it is has no name, and is not waited for.
    if viewers.isSilent(id) { remove(id) } else { handle(.putOut(id, reason)) }
  }

  /// The session's name, the program that runs, and the last part of its directory's path; no text of the screen.
  private var shownTitle: String {
    let description = description
    let title = "\(description.program) in \(description.folder)"
    return ShellNames.clean(own.label.isEmpty ? title : "\(own.label): \(title)")
  }

  /// The user does something in the session on this device: notifies the service now and then.
  private func wasUsed(isLate: Bool = false) {
    guard let sharing, isLate || sharing.isToBeTold else { return }
    sharing.used(title: shownTitle, label: own.label)
  }

  /// The session does not end with the terminal that it was started from; a signal to end it ends the program.
  private func takeSignals(_ descriptor: Int32) {
    while case let number = segue_terminal_next_signal(descriptor), number != 0 {
      if [SIGTERM, SIGINT, SIGQUIT].contains(number) { terminal.hangUp() }
    }
  }

  // MARK: Viewers

  private func accept() {
    guard let socket = SessionFolder.accept(listener), viewers.silent.count < Limits.shellViewers,
      let channel = try? FrameChannel(loop, socket: socket)
    else { return }
    add(channel)
  }

  /// Somebody has connected, and has to say who it is.
  @discardableResult private func add(_ channel: FrameChannel, isRemote: Bool = false) -> ShellSession.ViewerID {
    let id = viewers.add(channel, isRemote: isRemote)
    channel.received = { [unowned self, unowned channel] frame throws(ProtocolFailure) in
      try take(frame, id, channel)
    }
    channel.ended = { [unowned self] _ in remove(id) }
    channel.progressed = { [unowned self] in handle(.written(id, waiting: viewers[id]?.waiting ?? 0)) }
    loop.timer(after: Limits.shellHelloTime) { [weak self] in
      if let self, viewers.isSilent(id) { remove(id) }
    }
    return id
  }

  private func remove(_ id: ShellSession.ViewerID) {
    let wasRemote = viewers.isRemote(id)
    viewers.remove(id)?.close()
    handle(.gone(id))
    // It can be continued there again.
    if wasRemote, !hasEnded { wasUsed(isLate: true) }
    loop.wake()
  }

  private func take(_ frame: ShellFrame, _ id: ShellSession.ViewerID, _ channel: FrameChannel) throws(ProtocolFailure) {
    let message = try ViewerMessage(frame)
    guard viewers.isSilent(id) else { return try take(message, id) }
    if case .hello = message { return greet(message, id, channel) }
    guard !hasEnded else { return remove(id) }
    // Another device's viewers look, and nothing else.
    guard !viewers.isRemote(id) else { throw ProtocolFailure("what only this device says") }
    viewers.remove(id)
    switch message {
    case .asks: answer(channel)
    case .brings(let hello):
      if let input = channel.takeDescriptor(), let output = channel.takeDescriptor() { bring(hello, input, output) }
      channel.finish()
    case .shares(let isShared):
      if isShared { share() } else { unshare() }
      answer(channel)
    case .names(let name):
      own.label = name
      wasUsed(isLate: true)
      answer(channel)
    case .putsOut(let device):
      for looker in session.lookers where device.isEmpty || looker.device == device {
        putOut(looker.id, "it was detached there")
      }
      answer(channel)
    default: throw ProtocolFailure("no greeting")
    }
  }

  /// Sends the session's description, once.
  private func answer(_ channel: FrameChannel) {
    channel.send(SessionMessage.description(description).frame)
    finish(channel)
  }

  /// Adds a viewer of another device. A session that is not shared takes none.
  private func bring(_ hello: [UInt8], _ input: FileDescriptor, _ output: FileDescriptor) {
    guard sharing != nil, let stream = try? FrameChannel(loop, input: input, output: output) else { return }
    let id = add(stream, isRemote: true)
    guard !hello.isEmpty else { return }
    guard let message = try? ViewerMessage(ShellFrame(type: 1, payload: hello)) else { return remove(id) }
    // The service has chosen this session for it.
    greet(message, id, stream, isChosen: true)
  }

  private func greet(
    _ message: ViewerMessage, _ id: ShellSession.ViewerID, _ channel: FrameChannel, isChosen: Bool = false
  ) {
    guard case .hello(let version, let name, let size, let wanted) = message else { return }
    viewers.greeted(id)
    guard version == ViewerMessage.version else {
      channel.send(
        SessionMessage.refused("this session speaks version \(ViewerMessage.version), not \(version)").frame)
      viewers.remove(id)
      return finish(channel)
    }
    guard wanted.isEmpty || isChosen || own.isCalled(wanted) else { return pass(message, id, channel) }
    // A viewer that came by the socket is of this device, whatever it says.
    handle(.attached(id, name: viewers.isRemote(id) ? name : "", size))
  }

  /// Hands a viewer that wants another session of this device to the service, which knows the shared ones.
  private func pass(_ hello: ViewerMessage, _ id: ShellSession.ViewerID, _ channel: FrameChannel) {
    guard viewers.isRemote(id), !hasEnded, let sharing, let (input, output) = channel.release() else {
      return remove(id)
    }
    sharing.pass(hello, input, output)
    remove(id)
  }

  private func take(_ message: ViewerMessage, _ id: ShellSession.ViewerID) throws(ProtocolFailure) {
    switch message {
    case .input(let bytes):
      handle(.input(id, bytes))
      if !viewers.isRemote(id) { wasUsed() }
    case .resized(let size): handle(.resized(id, size))
    case .redraw: handle(.wantsDrawing(id))
    case .leaves: remove(id)
    case .hello, .asks, .brings, .shares, .names, .putsOut:
      throw ProtocolFailure("a second greeting")
    }
  }

  private var description: SessionDescription {
    let foreground = terminal.foreground
    return SessionDescription(
      label: own.label, program: foreground.program, folder: foreground.folder, viewers: session.lookers.map(\.device),
      isShared: sharing != nil,
      seconds: UInt32(clamping: start.time(until: .now) / 1_000))
  }

  /// Channels that close once their peer has taken everything, kept alive until then.
  private var leaving: [FrameChannel] = []

  private func finish(_ channel: FrameChannel) {
    leaving.removeAll { !$0.isOpen }
    leaving.append(channel)
    channel.ended = nil
    channel.progressed = nil
    channel.finish()
  }

  // MARK: The machine

  private func handle(_ event: ShellSession.Event) {
    var touched: Set<ShellSession.ViewerID> = []
    for effect in session.handle(event, at: .now) {
      switch effect {
      case .send(let id, .output(let bytes)):
        viewers[id]?.sendOutput(bytes)
        touched.insert(id)
      case .send(let id, let message): viewers[id]?.send(message.frame)
      case .draw(let id, let cut, let mark):
        viewers[id]?.sendOutput(terminal.drawing(cutTo: cut, linesSince: mark))
        touched.insert(id)
      case .type(let bytes): terminal.type(bytes)
      case .resize(let size):
        terminal.resize(size)
        handle(.screenResized(scrolled: terminal.scrolled))
      case .close(let id): closeWhenWritten(id)
      case .wake(let time):
        guard timer.map({ $0.isActive && $0.deadline <= time }) != true else { continue }
        timer?.cancel()
        timer = loop.timer(at: time) { [unowned self] in handle(.timer) }
      }
    }
    for id in touched { handle(.written(id, waiting: viewers[id]?.waiting ?? 0)) }
  }

  /// Closes the channel once the viewer has taken the rest, or when it takes nothing for a while.
  private func closeWhenWritten(_ id: ShellSession.ViewerID) {
    guard let channel = viewers[id] else { return }
    channel.received = nil
    guard channel.waiting > 0 else { return remove(id) }
    var farewell = Farewell(waiting: channel.waiting, at: .now)
    var timer = loop.timer(at: farewell.deadline) { [weak self] in self?.remove(id) }
    channel.progressed = { [unowned self, unowned channel] in
      timer.cancel()
      guard channel.waiting > 0 else { return remove(id) }
      farewell.waits(channel.waiting, at: .now)
      timer = loop.timer(at: farewell.deadline) { [weak self] in self?.remove(id) }
    }
  }

  private func programEnded() {
    guard !hasEnded else { return }
    let status = terminal.end()
    hasEnded = true
    for watch in watches { watch.cancel() }
    folder.remove(own.name)
    sharing?.close()
    // A viewer that has not said who it is yet is told the end once it has: a short program may be faster than it.
    handle(.ended(status))
  }
}
