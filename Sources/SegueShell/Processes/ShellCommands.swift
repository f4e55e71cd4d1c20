import CLinux
import CTerminal
import Glibc
import SegueBus
import SegueCore

/// What a user asks for by the command line.
public enum ShellCommands {
  /// Starts a session with a program, empty: the user's shell; and looks at it. The exit status.
  public static func start(_ program: [String], isShared: Bool) throws(SegueError) -> Int32 {
    if let session = getenv(ShellNames.variable) {
      throw SegueError(
        .invalidArgument, "This is session \(ShellNames.clean(String(cString: session))) already.",
        advice: "A session inside of it: env -u \(ShellNames.variable) segue-shell")
    }
    let loop = try EventLoop()
    let viewer = try ViewerTerminal(loop)
    let size = viewer.size
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw SessionFolder.failure("No connection to a session can be made")
    }
    let ours = FileDescriptor(owning: ends[0])
    let theirs = FileDescriptor(owning: ends[1])
    let shell = getenv("SHELL").map { String(cString: $0) } ?? ""
    let arguments = program.isEmpty ? [shell.hasPrefix("/") ? shell : "/bin/sh"] : program
    try detach(
      ["--session", String(size.rows), String(size.columns), isShared ? "shared" : "private", "--"] + arguments,
      handed: theirs.raw)
    // Held here too, it would hide the session's end.
    _ = close(theirs.take())
    return try look(loop, LocalSource(try FrameChannel(loop, socket: ours)))
  }

  /// Looks at a session of this device; nil: the only one.
  public static func attach(_ name: String?) throws(SegueError) -> Int32 {
    let folder = try SessionFolder()
    let running = sessions(folder)
    let name = name ?? (running.count == 1 ? running[0].name : "")
    guard SessionFolder.isName(name), let socket = folder.connect(to: name) else {
      if running.isEmpty { throw SegueError(.notFound, "There is no session.", advice: "Start one: segue-shell") }
      throw SegueError(
        .notFound,
        name.isEmpty ? "There are \(running.count) sessions." : "There is no session \(ShellNames.clean(name)).",
        advice: "segue-shell list shows them; segue-shell attach SESSION.")
    }
    if getenv(ShellNames.variable).map({ String(cString: $0) }) == name {
      throw SegueError(.invalidArgument, "This is session \(name) already.")
    }
    let loop = try EventLoop()
    return try look(loop, LocalSource(try FrameChannel(loop, socket: socket)))
  }

  /// Looks at another device's session, which the service has begun to continue here.
  public static func viewContinued(_ token: String) throws(SegueError) -> Int32 {
    let loop = try EventLoop()
    guard let socket = try SessionFolder().connect(to: ServiceDoor.name) else {
      throw SegueError(.notFound, "Nothing is continued here.", advice: "segue continue begins it.")
    }
    let service = try FrameChannel(loop, socket: socket)
    return try look(loop, ServiceSource(loop, service, token: token))
  }

  /// The sessions of this device, one a line.
  public static func list() throws(SegueError) -> String {
    let running = sessions(try SessionFolder())
    guard !running.isEmpty else { return "No sessions.\n" }
    return running.map { name, session in
      let viewers = session.viewers == 0 ? "detached" : "\(session.viewers) attached"
      return "\(name)\t\(session.program)\t\(session.folder)\t\(viewers)\(session.isShared ? "\tshared" : "")\n"
    }.joined()
  }

  /// Those that answer, with what they say of themselves.
  private static func sessions(_ folder: SessionFolder) -> [(name: String, SessionDescription)] {
    folder.names.compactMap { name in
      guard let socket = folder.connect(to: name) else {
        // Of a session that was killed.
        return nil
      }
      return ask(socket).map { (name, $0) }
    }
  }

  /// A session that hangs is left out.
  private static func ask(_ socket: FileDescriptor) -> SessionDescription? {
    guard let loop = try? EventLoop(), let channel = try? FrameChannel(loop, socket: socket) else { return nil }
    var answer: SessionDescription?
    var isOver = false
    channel.received = { frame throws(ProtocolFailure) in
      if case .description(let description) = try SessionMessage(frame) { answer = description }
    }
    channel.ended = { _ in isOver = true }
    channel.send(ViewerMessage.asks(version: ViewerMessage.version).frame)
    loop.timer(after: Limits.shellAskTime) { isOver = true }
    while !isOver, answer == nil { loop.wait(milliseconds: -1) }
    channel.close()
    return answer
  }

  private static func look(_ loop: EventLoop, _ source: any Viewer.Source) throws(SegueError) -> Int32 {
    let signals = segue_terminal_signals()
    guard signals >= 0 else { throw SessionFolder.failure("Signals cannot be watched") }
    // A session that ends before its first viewer leaves no process behind.
    signal(SIGCHLD, SIG_IGN)
    return try Viewer(loop, source, signals: signals).run()
  }

  /// Starts this program again, apart from this terminal.
  static func detach(_ arguments: [String], handed: Int32 = -1) throws(SegueError) {
    guard let path = realpath("/proc/self/exe", nil) else { throw SessionFolder.failure("This program is not found") }
    defer { free(path) }
    var pid = pid_t()
    let result = withStrings([String(cString: path)] + arguments) {
      segue_terminal_detach($0, environ, nil, handed, &pid)
    }
    guard result == 0 else {
      errno = -result
      throw SessionFolder.failure("A session cannot be started")
    }
  }
}
