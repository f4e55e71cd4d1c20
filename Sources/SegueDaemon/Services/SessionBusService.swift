import SegueBus
import SegueCore
import SegueEngine

/// The daemon's place on the session bus: its connection, which is made again when it is lost, its names, and the
/// identities of callers.
final class SessionBusService {
  enum Event {
    /// The bus is there. Objects are to be exported now, before the names are requested, so that the first call after
    /// an activation does not fail.
    case connected(Connection)
    /// This process owns the names.
    case named
    /// The bus is gone, cannot be reached, or gives no names. The service tries again.
    case lost
    /// The service has given up. Nil: the session is over; otherwise why this process cannot do its work.
    case ended(SegueError?)
  }

  /// Nil while the bus is gone.
  private(set) var connection: Connection?

  private let address: String?
  private let names: [BusName]
  private let loop: EventLoop
  private let log: Log
  private var report: (Event) -> Void = { _ in }
  private var reconnection = Reconnection(patience: Limits.busAbsence)
  private var timer: LoopTimer?
  private var isClosed = false
  private var callers = Callers()

  /// `address`: nil for the user's session bus. `names` are requested in their order.
  init(address: String?, names: [BusName], loop: EventLoop, log: Log) {
    self.address = address
    self.names = names
    self.loop = loop
    self.log = log
  }

  /// Connects. Call this once. `report` is called in dispatches of the loop, until `close`.
  func connect(report: @escaping (Event) -> Void) {
    self.report = report
    connect()
  }

  private func connect() {
    timer = nil
    do throws(SegueError) {
      var opened: Connection?
      let connection = try Connection.openBus(address: address, on: loop) { [weak self] error in
        guard let self, let opened, self.connection === opened else { return }
        if let error { return drop(error) }
        report(.connected(opened))
        request(names[...], on: opened)
      }
      opened = connection
      self.connection = connection
      connection.setDisconnected { [weak self] in
        guard let self, self.connection === connection else { return }
        drop(SegueError(.connectionUnavailable, "The session bus is gone."))
      }
    } catch {
      loop.later { [weak self] in self?.drop(error) }
    }
  }

  /// Sends what is still queued, and leaves the bus. No event is reported afterwards.
  func close() {
    isClosed = true
    timer?.cancel()
    let former = connection
    connection = nil
    former?.setDisconnected(nil)
    former?.flush(milliseconds: Limits.farewellTime)
    former?.close()
  }

  private func request(_ wanted: ArraySlice<BusName>, on bus: Connection) {
    guard let name = wanted.first else {
      reconnection.succeeded()
      return report(.named)
    }
    // From one that only says why it could not start.
    bus.requestName(name, for: .goodFromYielding) { [weak self] outcome in
      guard let self, connection === bus else { return }
      switch outcome {
      case .owner: request(wanted.dropFirst(), on: bus)
      case .taken: report(.ended(SegueError(.nameTaken, "Another segued is running for this user.")))
      // Its policy may be another one soon.
      case .refused(let error), .failed(let error): drop(error, isThere: true)
      }
    }
  }

  /// Closes a connection that is of no use, and so gives up its names. A new connection is made after a while.
  private func drop(_ error: SegueError, isThere: Bool = false) {
    guard !isClosed else { return }
    let former = connection
    connection = nil
    callers = Callers()
    report(.lost)
    // After the report, since the services that get it may still send something to the bus.
    former?.close()
    guard let time = reconnection.failed(now: Instant.now) else { return report(.ended(isThere ? error : nil)) }
    log.notice("\(error.message) Trying again.", cause: "bus")
    timer = loop.timer(after: time) { [weak self] in self?.connect() }
  }

  /// Finds out who called over the session bus. The bus is asked once for each unique name.
  func identify(_ invocation: Invocation, _ body: @escaping (CallerIdentity.Verdict) -> Void) {
    guard let sender = invocation.sender, let bus = connection else {
      return invocation.fail(SegueError(.accessDenied, "The caller has no name."))
    }
    if let known = callers[sender] { return body(known) }
    let call = Message.call(
      destination: BusName(constant: "org.freedesktop.DBus"), path: ObjectPath(constant: "/org/freedesktop/DBus"),
      interface: InterfaceName(constant: "org.freedesktop.DBus"),
      member: MemberName(constant: "GetConnectionCredentials"))
    try? call.append([.string(sender.string)])
    bus.call(call, timeout: Limits.busTime) { [weak self] result in
      var caller = CallerIdentity.Verdict.refused(SegueError(.accessDenied, "The caller is gone."))
      if case .success(let reply) = result, let credentials = try? reply.arguments().first?.asDictionary,
        let pid = credentials["ProcessID"]?.asUInt32, let uid = credentials["UnixUserID"]?.asUInt32
      {
        caller = CallerIdentity().identify(pid: Int32(clamping: pid), uid: uid)
      }
      // A new bus starts its unique names anew, so identities from the former bus must not be remembered.
      if let self, connection === bus { callers.remember(caller, of: sender) }
      body(caller)
    }
  }
}
