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
  private let name: String
  /// The id by which another device finds this session again, and no later one of the same name.
  private let id = Identifier.random().hex
  /// The user's name for it; empty where it has none but its number.
  private var label: String
  private let listener: FileDescriptor
  private let program: Program
  private let arguments: [String]
  private let home: String
  private var screen: TerminalScreen
  private var filter = OutputFilter()
  private var session: ShellSession
  private let start = Instant.now

  private var channels: [ShellSession.ViewerID: FrameChannel] = [:]
  private var lastID = 0
  /// The channels whose peer has not said yet who it is.
  private var silent: Set<ShellSession.ViewerID> = []
  /// Input that the program has not read yet.
  private var typed: [UInt8] = []
  private var watches: [LoopWatch] = []
  private var terminalWatch: LoopWatch?
  private var timer: LoopTimer?
  private var hasEnded = false
  /// Nil where it is not shared.
  private var sharing: Sharing?
  /// The channels to viewers on other devices.
  private var remote: Set<ShellSession.ViewerID> = []
  /// The time at which the service was last notified that the session is used.
  private var toldOfUse: Instant?

  private init(_ arguments: [String], label: String, size: TerminalSize) throws(SegueError) {
    loop = try EventLoop()
    folder = try SessionFolder()
    (name, listener) = try folder.listen()
    self.arguments = arguments
    self.label = label
    home =
      getcwd(nil, 0).map { path in
        defer { free(path) }
        return ShellNames.lastPart(of: String(cString: path))
      } ?? ""
    screen = TerminalScreen(size)
    session = ShellSession(name: name, id: id, size: size, device: ShellNames.device)
    do throws(Program.Failure) {
      program = try Program(arguments, session: name, size: size)
    } catch {
      folder.remove(name)
      throw SegueError(.launchFailed, error.message, advice: String(error.status))
    }
  }

  /// Runs a session with the first viewer at descriptor `handed`. Returns when it is over.
  public static func run(
    _ arguments: [String], label: String, size: (rows: Int, columns: Int), isShared: Bool, handed: Int32
  ) -> Int32 {
    let socket = FileDescriptor(owning: handed)
    _ = segue_fcntl(handed, F_SETFD, FD_CLOEXEC)
    let signals = segue_terminal_signals()
    do throws(SegueError) {
      let process = try SessionProcess(
        arguments, label: label, size: TerminalSize(rows: size.rows, columns: size.columns))
      if isShared { process.share() }
      try process.run(first: socket, signals: signals)
      return 0
    } catch {
      // The first viewer gets the reason, and exits with the status of a program that cannot be started.
      let status = UInt8(error.advice) ?? 1
      _ = socket.put(
        SessionMessage.refused(error.message).frame.bytes + SessionMessage.ended(status: status).frame.bytes)
      return Int32(status)
    }
  }

  private func run(first: FileDescriptor, signals: Int32) throws(SegueError) {
    terminalWatch = try loop.watch(program.terminal.raw, .readable) { [unowned self] events in
      if events.contains(.writable) { type([]) }
      if events != .writable { readTerminal() }
    }
    watches = [
      try loop.watch(listener.raw, .readable) { [unowned self] _ in accept() },
      try loop.watch(program.process.raw, .readable) { [unowned self] _ in programEnded() },
      try loop.watch(signals, .readable) { [unowned self] _ in takeSignals(signals) },
    ]
    add(try FrameChannel(loop, socket: first))
    while !hasEnded || !channels.isEmpty { loop.wait(milliseconds: -1) }
    folder.remove(name)
  }

  // MARK: Sharing

  private func share() {
    guard sharing == nil else { return }
    let sharing = Sharing(
      ServiceDoor(loop, folder), .init(name: name, id: id, label: label), title: shownTitle)
    sharing.named = { [unowned self] in handle(.device($0)) }
    self.sharing = sharing
  }

  /// Viewers of other devices are put out.
  private func unshare() {
    guard let sharing else { return }
    self.sharing = nil
    sharing.close()
    for id in remote { putOut(id, "it is not shared any more") }
  }

  private func putOut(_ id: ShellSession.ViewerID, _ reason: String) {
    // A peer that has not said who it is has no name, and is not waited for.
    if silent.contains(id) { remove(id) } else { handle(.putOut(id, reason)) }
  }

  /// The session's name, the program that runs, and the last part of its directory's path; no text of the screen.
  private var shownTitle: String {
    let description = description
    let title = "\(description.program) in \(description.folder)"
    return ShellNames.clean(label.isEmpty ? title : "\(label): \(title)")
  }

  /// The user does something in the session on this device: notifies the service now and then.
  private func wasUsed(isLate: Bool = false) {
    guard let sharing else { return }
    if let toldOfUse, toldOfUse.time(until: .now) < Limits.announceInterval, !isLate { return }
    toldOfUse = .now
    sharing.used(title: shownTitle, label: label)
  }

  /// The session does not end with the terminal that it was started from; a signal to end it ends the program.
  private func takeSignals(_ descriptor: Int32) {
    while case let number = segue_terminal_next_signal(descriptor), number != 0 {
      if [SIGTERM, SIGINT, SIGQUIT].contains(number) { program.hangUp() }
    }
  }

  // MARK: Viewers

  private func accept() {
    guard let socket = SessionFolder.accept(listener), silent.count < Limits.shellViewers,
      let channel = try? FrameChannel(loop, socket: socket)
    else { return }
    add(channel)
  }

  /// Adds a connection whose peer has to say who it is.
  @discardableResult private func add(_ channel: FrameChannel) -> ShellSession.ViewerID {
    lastID += 1
    let id = lastID
    channels[id] = channel
    silent.insert(id)
    channel.received = { [unowned self, unowned channel] frame throws(ProtocolFailure) in
      try take(frame, id, channel)
    }
    channel.ended = { [unowned self] _ in remove(id) }
    channel.progressed = { [unowned self] in handle(.written(id, waiting: channels[id]?.waiting ?? 0)) }
    loop.timer(after: Limits.shellHelloTime) { [weak self] in
      if let self, silent.contains(id) { remove(id) }
    }
    return id
  }

  private func remove(_ id: ShellSession.ViewerID) {
    silent.remove(id)
    channels.removeValue(forKey: id)?.close()
    handle(.gone(id))
    // The session can be continued on that device again.
    if remote.remove(id) != nil, !hasEnded { wasUsed(isLate: true) }
    loop.wake()
  }

  private func take(_ frame: Frame, _ id: ShellSession.ViewerID, _ channel: FrameChannel) throws(ProtocolFailure) {
    let message = try ViewerMessage(frame)
    guard silent.contains(id) else { return try take(message, id) }
    if case .hello = message { return greet(message, id, channel) }
    // Another device's viewers may only look.
    guard !remote.contains(id) else { throw ProtocolFailure("what only this device says") }
    silent.remove(id)
    channels[id] = nil
    switch message {
    case .asks: answer(channel)
    case .brings(let hello):
      if let input = channel.takeDescriptor(), let output = channel.takeDescriptor() { bring(hello, input, output) }
      channel.finish()
    case .shares(let isShared):
      if isShared { share() } else { unshare() }
      answer(channel)
    case .names(let name):
      label = name
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
    let id = add(stream)
    remote.insert(id)
    guard !hello.isEmpty else { return }
    guard let message = try? ViewerMessage(Frame(type: 1, payload: hello)) else { return remove(id) }
    // The service has chosen this session for it.
    greet(message, id, stream, isChosen: true)
  }

  private func greet(
    _ message: ViewerMessage, _ id: ShellSession.ViewerID, _ channel: FrameChannel, isChosen: Bool = false
  ) {
    guard case .hello(let version, let name, let size, let wanted) = message else { return }
    silent.remove(id)
    guard version == ViewerMessage.version else {
      channel.send(
        SessionMessage.refused("this session speaks version \(ViewerMessage.version), not \(version)").frame)
      channels[id] = nil
      return finish(channel)
    }
    let own = ServiceMessage.Session(name: self.name, id: self.id, label: label)
    guard wanted.isEmpty || isChosen || own.isCalled(wanted) else { return pass(message, id, channel) }
    // A viewer that came by the socket is of this device, whatever name it sends.
    handle(.attached(id, name: remote.contains(id) ? name : "", size))
  }

  /// Hands a viewer that wants another session of this device to the service, which knows the shared ones.
  private func pass(_ hello: ViewerMessage, _ id: ShellSession.ViewerID, _ channel: FrameChannel) {
    guard remote.contains(id), let sharing, let (input, output) = channel.release() else { return remove(id) }
    sharing.pass(hello, input, output)
    remove(id)
  }

  private func take(_ message: ViewerMessage, _ id: ShellSession.ViewerID) throws(ProtocolFailure) {
    switch message {
    case .input(let bytes):
      handle(.input(id, bytes))
      if !remote.contains(id) { wasUsed() }
    case .resized(let size): handle(.resized(id, size))
    case .redraw: handle(.wantsDrawing(id))
    case .leaves: remove(id)
    case .hello, .asks, .brings, .shares, .names, .putsOut:
      throw ProtocolFailure("a second greeting")
    }
  }

  private var description: SessionDescription {
    let foreground = program.foreground
    return SessionDescription(
      label: label, program: foreground?.program ?? ShellNames.lastPart(of: arguments.first ?? ""),
      folder: foreground?.folder ?? home, viewers: session.lookers.map(\.device), isShared: sharing != nil,
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
        channels[id]?.sendOutput(bytes)
        touched.insert(id)
      case .send(let id, let message): channels[id]?.send(message.frame)
      case .draw(let id, let cut, let mark):
        channels[id]?.sendOutput(
          cut.map { screen.drawing(cutTo: $0, linesSince: mark) } ?? screen.drawing(linesSince: mark))
        touched.insert(id)
      case .type(let bytes): type(bytes)
      case .resize(let size):
        screen.resize(size)
        program.resize(size)
        handle(.screenResized(scrolled: screen.scrolled))
      case .close(let id): closeWhenWritten(id)
      case .wake(let time):
        guard timer.map({ $0.isActive && $0.deadline <= time }) != true else { continue }
        timer?.cancel()
        timer = loop.timer(at: time) { [unowned self] in handle(.timer) }
      }
    }
    for id in touched { handle(.written(id, waiting: channels[id]?.waiting ?? 0)) }
  }

  /// Closes the channel once the viewer has taken the rest, or after a short time if it does not.
  private func closeWhenWritten(_ id: ShellSession.ViewerID) {
    guard let channel = channels[id] else { return }
    channel.received = nil
    guard channel.waiting > 0 else { return remove(id) }
    channel.progressed = { [unowned self, unowned channel] in if channel.waiting == 0 { remove(id) } }
    loop.timer(after: Limits.shellHelloTime) { [weak self] in self?.remove(id) }
  }

  // MARK: The program

  private func readTerminal() {
    guard !hasEnded else { return }
    // A program that writes without end does not keep viewers from being read.
    for _ in 0..<4 { if !readOnce() { return } }
  }

  /// Whether there was something.
  private func readOnce() -> Bool {
    let bytes = [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
      count = max(0, read(program.terminal.raw, buffer.baseAddress, buffer.count))
    }
    guard !bytes.isEmpty else {
      // All processes that had the terminal open have closed it; the program's end is reported apart from this.
      if errno != EAGAIN, errno != EINTR { terminalWatch?.setEvents([]) }
      return false
    }
    let passed = filter.filter(bytes)
    let answer = screen.write(passed.screen)
    if passed.clearsHistory { screen.clearHistory() }
    type(answer)
    if let title = passed.title { handle(.title(title)) }
    handle(
      .output(
        passed.shown, scrolled: screen.scrolled, isAlternate: filter.modes.isAlternate,
        leftAlternate: passed.leftAlternate))
    return true
  }

  /// Writes the bytes that fit now, and the rest when the program reads. Viewers wait for a program that reads nothing.
  private func type(_ bytes: [UInt8]) {
    typed += bytes
    while !typed.isEmpty {
      let count = typed.withUnsafeBytes { write(program.terminal.raw, $0.baseAddress, $0.count) }
      guard count > 0 else { break }
      typed.removeFirst(count)
    }
    terminalWatch?.setEvents(typed.isEmpty || hasEnded ? .readable : [.readable, .writable])
    let isFull = typed.count > Limits.shellInput
    for (id, channel) in channels where !silent.contains(id) { channel.setPaused(isFull) }
  }

  private func programEnded() {
    guard !hasEnded else { return }
    let status = program.status()
    // The program's last output. Other processes that still have its terminal open may write on: their output is not
    // awaited.
    for _ in 0..<256 where readOnce() {}
    hasEnded = true
    for watch in watches { watch.cancel() }
    terminalWatch?.cancel()
    folder.remove(name)
    sharing?.close()
    for id in silent { remove(id) }
    handle(.ended(status))
  }
}
