import CLinux
import Glibc
import SegueBus
import SegueCore
import SegueState

/// Opens the web page of an activity that no application here took (semantics V7, W1), since the user has chosen it.
/// The desktop's portal is asked first, then the default program for web pages is started.
final class BrowserService {
  private let bus: () -> Connection?
  private let handlers: WebHandlers
  private let programPath: [String]
  private let time: UInt64
  private let loop: EventLoop
  private let log: Log

  /// `programPath`: where programs are found. `time`: how long a program that is started over the bus may take to answer.
  init(
    bus: @escaping () -> Connection?, handlers: WebHandlers, programPath: [String], time: UInt64, loop: EventLoop,
    log: Log
  ) {
    self.bus = bus
    self.handlers = handlers
    self.programPath = programPath
    self.time = time
    self.loop = loop
    self.log = log
  }

  /// `done` is called once: with nil when a program has taken the page, otherwise with the error.
  func open(_ page: WebURL, _ done: @escaping (SegueError?) -> Void) {
    // The portal would hand the page to `segue open`, which asks for it to be opened here.
    guard let bus = bus(), !handlers.opensLinks(ofScheme: page.scheme) else { return openHandler(page, done) }
    PortalRequest.open(page, bus) { [self] outcome in
      switch outcome {
      case .opened: done(nil)
      case .cancelled:
        done(
          SegueError(.userCancelled, "No program was chosen for the web page.", advice: "Continue again to choose one.")
        )
      case .failed: openHandler(page, done)
      }
    }
  }

  private func openHandler(_ page: WebURL, _ done: @escaping (SegueError?) -> Void) {
    guard let handler = handlers.handler(ofScheme: page.scheme) else {
      return done(
        SegueError(
          .notHandled, "The web page was not opened: there is no browser for it.",
          advice: "Choose a default browser in the settings of the desktop."))
    }
    switch handler.start {
    case .bus(let appID): open(page, appID, handler, done)
    case .program(let command, let folder):
      let words = command.words(opening: Array(page.string.utf8)).map { String(decoding: $0, as: UTF8.self) }
      run(words, folder, handler, ["\(WebLinkMark.variable)=\(WebLinkMark.value(Array(page.string.utf8)))"], done)
    }
  }

  private static func notOpened(_ handler: WebHandler, _ reason: String) -> SegueError {
    SegueError(
      .notHandled,
      "\(handler.name) could not show the web page: \(reason).",
      advice: "Start \(handler.name) by hand and continue once more.")
  }

  private func open(
    _ page: WebURL, _ appID: AppID, _ handler: WebHandler, _ done: @escaping (SegueError?) -> Void
  ) {
    guard let bus = bus() else { return done(Self.notOpened(handler, "the session bus is gone")) }
    let call = Message.call(
      destination: appID.busName, path: ObjectPath(for: appID),
      interface: InterfaceName(constant: "org.freedesktop.Application"),
      member: MemberName(constant: "Open"))
    do throws(SegueError) {
      try call.append([.strings([page.string]), .dictionary([:])])
    } catch {
      return done(error)
    }
    bus.call(call, timeout: time) { [log] result in
      guard case .failure(let error) = result else { return done(nil) }
      log.notice("\(handler.name) did not open a page: \(error.message)", cause: "browser")
      done(Self.notOpened(handler, error.code == .connectionUnavailable ? "it does not answer" : "it has refused it"))
    }
  }

  // MARK: A program

  /// Starts a program: by the user's systemd if that started the daemon, since no other program may live in the
  /// daemon's unit; otherwise from the daemon itself. In the second case the program counts as having opened the page
  /// if it still runs after a while, or has exited with 0: it then handed the page over to another process. The daemon
  /// always waits for the program's end, so that no zombie stays.
  private func run(
    _ command: [String], _ folder: String?, _ handler: WebHandler, _ variables: [String],
    _ done: @escaping (SegueError?) -> Void
  ) {
    let home = environment("HOME") ?? "/"
    let folder = folder.flatMap { $0.begins(with: "/") && access($0, X_OK) == 0 ? $0 : nil } ?? home
    guard UserManager.isOurParent else { return spawn(command, folder, handler, variables, done) }
    guard let bus = bus(), let located = UserManager.located(command, programPath) else {
      return done(Self.notOpened(handler, "its program cannot be started by systemd"))
    }
    UserManager.start(located, in: folder, variables, bus) { [self] error in
      guard let error else { return done(nil) }
      log.notice("the user's manager did not start \(handler.name): \(error.message)", cause: "browser")
      done(Self.notOpened(handler, "systemd did not start it"))
    }
  }

  private func spawn(
    _ command: [String], _ folder: String, _ handler: WebHandler, _ variables: [String],
    _ done: @escaping (SegueError?) -> Void
  ) {
    var pid: pid_t = 0
    let process = withCStrings(command) { arguments in
      withCStrings(ChildEnvironment.current() + variables) { segue_spawn(arguments, $0, folder, &pid) }
    }
    guard process >= 0 else {
      return done(Self.notOpened(handler, String(cString: strerror(-process))))
    }
    var tell: ((SegueError?) -> Void)? = done
    let finish = { (error: SegueError?) in
      let body = tell
      tell = nil
      body?(error)
    }
    let timer = loop.timer(after: Limits.browserTime) { finish(nil) }
    var watch: LoopWatch?
    let ended = {
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
      watch?.cancel()
      watch = nil
      close(process)
      timer.cancel()
      finish(status == 0 ? nil : Self.notOpened(handler, "it ended with status \(status >> 8 & 0xFF)"))
    }
    do throws(SegueError) {
      watch = try loop.watch(process, .readable) { _ in ended() }
    } catch {
      // The daemon does not wait for the program's end then; the page is on its way.
      close(process)
      timer.cancel()
      finish(nil)
    }
  }
}

/// The environment of programs that the daemon starts.
enum ChildEnvironment {
  /// The variables that are meant for the daemon alone.
  private static let own: TextSet = [
    "DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE", "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
    ExactText(WebLinkMark.variable), "WATCHDOG_PID", "WATCHDOG_USEC", "INVOCATION_ID", "JOURNAL_STREAM", "SEGUE_LOG",
  ]

  static func current() -> [String] {
    var entries: [String] = []
    var next = environ
    while let entry = next.pointee {
      if let text = String(validatingCString: entry), !own.contains(text.parts(at: "=", maxSplits: 1).first ?? "") {
        entries.append(text)
      }
      next += 1
    }
    return entries
  }
}

/// Strings as C has them, with a null pointer at the end.
private func withCStrings<R>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R) -> R {
  let copies: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies + [nil])
}
