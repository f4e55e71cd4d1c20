import CLinux
import CTerminal
import Glibc
import SegueBus
import SegueCore
import SegueState

/// The operations that the command line offers.
public enum ShellCommands {
  /// Starts a session with a program, empty: the user's shell; and looks at it. The exit status.
  public static func start(_ program: [String], label: String, isShared: Bool) throws(SegueError) -> Int32 {
    if let session = getenv(ShellNames.variable) {
      throw SegueError(
        .invalidArgument, "This is session \(ShellNames.clean(String(cString: session))) already.",
        advice: "A session inside of it: env -u \(ShellNames.variable) segue-shell")
    }
    try check(label: label, of: nil)
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
    let arguments = program.isEmpty ? [shell.begins(with: "/") ? shell : "/bin/sh"] : program
    try detach(
      ["--session", String(size.rows), String(size.columns), isShared ? "shared" : "private", label, "--"] + arguments,
      handed: theirs.raw)
    // The descriptor is closed here: held open, it would hide the session's end.
    _ = close(theirs.take())
    return try look(loop, LocalSource(try FrameChannel(loop, socket: ours)))
  }

  /// Looks at a session of this device; nil: the only one. Or at one of another device: `DEVICE`, or `DEVICE:SESSION`.
  public static func attach(_ name: String?) throws(SegueError) -> Int32 {
    let folder = try SessionFolder()
    let running = RunningSessions(folder)
    let number: String
    if let name, SessionFolder.isName(name) {
      number = name
    } else if let session = try running.named(name ?? "") {
      number = session.name
    } else {
      return try attachThere(name ?? "", folder)
    }
    guard let socket = folder.connect(to: number) else { throw running.none(number) }
    if getenv(ShellNames.variable).map({ String(cString: $0) }) == number {
      throw SegueError(.invalidArgument, "This is session \(number) already.")
    }
    let loop = try EventLoop()
    return try look(loop, LocalSource(try FrameChannel(loop, socket: socket)))
  }

  private static func attachThere(_ name: String, _ folder: SessionFolder) throws(SegueError) -> Int32 {
    let parts = name.parts(at: ":", maxSplits: 1, omittingEmpty: false)
    let device = try RemoteSessions().device(parts[0])
    let loop = try EventLoop()
    // Any session of the device will do: by then another one may be on offer, and the viewer says which it wants.
    let source = ServiceSource(loop, folder, device: device, activity: "")
    return try look(loop, source, session: parts.count > 1 ? parts[1] : "")
  }

  /// Looks at another device's session, which the service has begun to continue here.
  public static func viewContinued(_ token: String) throws(SegueError) -> Int32 {
    let loop = try EventLoop()
    let folder = try SessionFolder()
    guard let socket = folder.connect(to: ServiceDoor.name) else {
      throw SegueError(.notFound, "Nothing is continued here.", advice: "segue continue begins it.")
    }
    return try look(loop, ServiceSource(loop, folder, try FrameChannel(loop, socket: socket), token: token))
  }

  /// Whether a terminal's window can be opened from here.
  public static var opensWindows: Bool { TerminalProgram.isThere }

  /// Looks at another device's session in this terminal, since no window can be opened. `activity` is the offer's id.
  public static func continueHere(_ activity: String, device: String) throws(SegueError) -> Int32 {
    let line = Array("No program that opens a terminal's window was found: the session goes on in this one.\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    let loop = try EventLoop()
    let source = ServiceSource(loop, try SessionFolder(), device: ShellNames.clean(device), activity: activity)
    return try look(loop, source)
  }

  /// The sessions of this device, one a line, and those that other devices offer.
  public static func list() throws(SegueError) -> String {
    let lines = RunningSessions(try SessionFolder()).lines + RemoteSessions().lines
    return lines.isEmpty ? "No sessions.\n" : lines.joined()
  }

  // MARK: Changes of a session

  public enum Change {
    case share, unshare
    case name(String)
    /// Puts out a device's viewers; nil: everybody.
    case detach(String?)
  }

  /// `name`: the session's; nil: the one that this runs in, or the only one. Gives the session's line of the list.
  public static func change(_ name: String?, _ change: Change) throws(SegueError) -> String {
    let running = RunningSessions(try SessionFolder())
    let own = getenv(ShellNames.variable).map { String(cString: $0) }
    guard let session = try running.named(name ?? own ?? "") else { throw running.none(name ?? own ?? "") }
    let message: ViewerMessage
    switch change {
    case .share: message = .shares(true)
    case .unshare: message = .shares(false)
    case .name(let label):
      try check(label: label, of: session)
      message = .names(label)
    case .detach(let device):
      if let device, !session.description.viewers.contains(device) {
        let lookers = session.description.viewers.map { DisplayText.quoted($0) }.joined(separator: ", ")
        throw SegueError(
          .notFound, "No device called \(DisplayText.quoted(device)) looks at session \(session.name).",
          advice: lookers.isEmpty ? "None does." : "There are \(lookers).")
      }
      message = .putsOut(device: device ?? "")
    }
    guard let description = running.say(message, to: session.name) else {
      throw SegueError(.connectionUnavailable, "Session \(session.name) does not answer.")
    }
    return RunningSessions.Running(name: session.name, description: description).line
  }

  /// A name that is told from numbers, devices and options.
  private static func check(label: String, of session: RunningSessions.Running?) throws(SegueError) {
    guard !label.isEmpty else { return }
    guard DisplayText.isClean(label, maximum: Limits.shellName), !label.utf8.contains(UInt8(ascii: ":")),
      !label.utf8.contains(UInt8(ascii: " ")), Int(label) == nil, label.utf8.first != UInt8(ascii: "-")
    else {
      throw SegueError(
        .invalidArgument, "\(DisplayText.quoted(label)) cannot be a session's name.",
        advice: "One has letters, no spaces or colons, and at most \(Limits.shellName) bytes.")
    }
    let others = RunningSessions(try SessionFolder()).sessions.filter { $0.name != session?.name }
    if let other = others.first(where: { $0.description.label == label }) {
      throw SegueError(.invalidArgument, "Session \(other.name) is called \(label) already.")
    }
  }

  // MARK: Processes

  private static func look(
    _ loop: EventLoop, _ source: any Viewer.Source, session: String = ""
  ) throws(SegueError) -> Int32 {
    let signals = segue_terminal_signals()
    guard signals >= 0 else { throw SessionFolder.failure("Signals cannot be watched") }
    // A session that ends before its first viewer leaves no process behind.
    signal(SIGCHLD, SIG_IGN)
    return try Viewer(loop, source, session: session, signals: signals).run()
  }

  /// Where this program is.
  static func program() throws(SegueError) -> String {
    guard let path = ProgramPath.current() else { throw SessionFolder.failure("This program is not found") }
    return path.string
  }

  /// Starts this program again, apart from this terminal.
  static func detach(_ arguments: [String], handed: Int32 = -1) throws(SegueError) {
    var pid = pid_t()
    let result = withStrings([try program()] + arguments) {
      segue_terminal_detach($0, environ, nil, handed, &pid)
    }
    guard result == 0 else {
      errno = -result
      throw SessionFolder.failure("A session cannot be started")
    }
  }
}
