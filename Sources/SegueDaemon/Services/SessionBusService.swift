import SegueBus
import SegueCore

/// The daemon's place on the session bus: its connection, which comes back by itself, its names, and who calls there.
final class SessionBusService {
  enum Event {
    /// The bus is there. What is to be called is to be exported now, before the names are requested: so the first call
    /// after an activation never fails.
    case connected(Connection)
    /// The names are this process's.
    case named
    /// The bus is gone, cannot be reached, or gives no names. It is tried again.
    case lost
    /// It is not tried any more: nil where the session is over, else why this process cannot do its work.
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
  private var callers: [BusName: CallerIdentity.Verdict] = [:]

  /// Callers that are remembered. A bus gives no unique name twice, so that only the number needs a bound.
  private static let callersMaximum = 256

  /// `address`: nil for the user's session bus. `names` are requested in their order.
  init(address: String?, names: [BusName], loop: EventLoop, log: Log) {
    self.address = address
    self.names = names
    self.loop = loop
    self.log = log
  }

  /// Connects. To be called once; `report` is called in dispatches of the loop, until `close`.
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

  /// Leaves the bus, when what is still queued has left. Nothing is reported any more.
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
    bus.requestName(name) { [weak self] outcome in
      guard let self, connection === bus else { return }
      switch outcome {
      case .owner: request(wanted.dropFirst(), on: bus)
      case .taken: report(.ended(SegueError(.nameTaken, "Another segued runs for this user.")))
      case .failed(let error): drop(error, isThere: true)
      }
    }
  }

  /// The connection is of no use: it goes, with the names that it has, and another one is made after a while.
  private func drop(_ error: SegueError, isThere: Bool = false) {
    guard !isClosed else { return }
    let former = connection
    connection = nil
    callers = [:]
    report(.lost)
    // Not before: who is told may have something to say to the bus.
    former?.close()
    guard let time = reconnection.failed(now: Instant.now) else { return report(.ended(isThere ? error : nil)) }
    log.notice("\(error.message) Trying again.", cause: "bus")
    timer = loop.timer(after: time) { [weak self] in self?.connect() }
  }

  /// Who called over the session bus: asked of the bus once for each unique name.
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
      var verdict = CallerIdentity.Verdict.refused(SegueError(.accessDenied, "The caller is gone."))
      if case .success(let reply) = result, let credentials = try? reply.arguments().first?.asDictionary,
        let pid = credentials["ProcessID"]?.asUInt32, let uid = credentials["UnixUserID"]?.asUInt32
      {
        verdict = CallerIdentity().identify(pid: Int32(clamping: pid), uid: uid)
      }
      // The next bus gives its names anew: what is known of the callers of this one must not count there.
      if let self, connection === bus { remember(verdict, of: sender) }
      body(verdict)
    }
  }

  private func remember(_ verdict: CallerIdentity.Verdict, of caller: BusName) {
    if callers.count >= Self.callersMaximum { callers = [:] }
    callers[caller] = verdict
  }
}
