import SegueBus
import SegueCore

// The session bus: the daemon's names and objects there, and who calls them.

extension Daemon {
  /// Callers that are remembered; unique names are never reused, so that only the number needs a bound.
  private static let callersMaximum = 256

  func connectBus() {
    do {
      let connection = try Connection.openBus(address: settings.busAddress, on: loop) { [self] error in
        if let error { busFailed(error) } else { exportAndOwnNames() }
      }
      bus = connection
      connection.setDisconnected { [self] in
        guard bus === connection else { return }
        connection.close()
        busFailed(SegueError(.connectionUnavailable, "The session bus is gone."))
      }
    } catch {
      loop.later { [self] in busFailed(error) }
    }
  }

  /// The daemon outlives the bus: links and doors stay, and it comes back by itself.
  private func busFailed(_ error: SegueError) {
    closeNotices()
    bus = nil
    callers = [:]
    log.notice("\(error.message) Trying again.", cause: "bus")
    if busGoneSince == nil { busGoneSince = Instant.now }
    if let since = busGoneSince, Instant.now.time(since: since) > Limits.busAbsence {
      // The session is over.
      return stop(nil)
    }
    let time = min(Limits.reconnectTime, 100 &<< min(reconnectAttempts, 10))
    reconnectAttempts += 1
    loop.timer(after: time) { [self] in if bus == nil { connectBus() } }
  }

  /// Objects are exported before the names are requested: the first call after activation never fails.
  private func exportAndOwnNames() {
    guard let bus else { return }
    openNotices()
    reconnectAttempts = 0
    busGoneSince = nil
    bus.export(daemonObject(), at: SegueAddress.daemonPath)
    let control = controlObject(withTitles: false) { [self] invocation, body in
      identify(invocation) { caller in
        guard caller.mayControl else {
          return invocation.fail(SegueError(.accessDenied, "The control interface is not for sandboxed applications."))
        }
        body()
      }
    }
    controls.removeAll { !$0.isExported }
    controls.append(control)
    bus.export(control, at: SegueAddress.controlPath)
    bus.requestName(SegueAddress.daemonName) { [self] outcome in
      switch outcome {
      case .owner: bus.requestName(SegueAddress.controlName) { [self] in nameAnswered($0) }
      case .taken, .failed: nameAnswered(outcome)
      }
    }
  }

  private func nameAnswered(_ outcome: NameOutcome) {
    switch outcome {
    case .owner:
      log.debug("ready")
      resumeContinuations()
    case .taken: stop(SegueError(.nameTaken, "Another segued runs for this user."))
    case .failed(let error): busFailed(error)
    }
  }

  private func daemonObject() -> BusObject {
    BusObject([
      BusInterface(
        SegueAddress.daemonInterface,
        methods: [
          BusMethod("OpenDoor", out: [BusArgument("folder", "h"), BusArgument("token", "s")]) {
            [self] _, _, invocation in
            do throws(SegueError) {
              invocation.reply([
                .descriptor(try doorFolder()),
                .string(tokens.make(now: Instant.now, for: invocation.sender?.string ?? "")),
              ])
            } catch {
              invocation.fail(error)
            }
          }
        ])
    ])
  }

  /// Who called over the session bus: asked of the bus once for each unique name.
  func identify(_ invocation: Invocation, _ body: @escaping (CallerIdentity.Verdict) -> Void) {
    guard let sender = invocation.sender, let bus else {
      return invocation.fail(SegueError(.accessDenied, "The caller has no name."))
    }
    if let known = callers[sender] { return body(known) }
    let call = Message.call(
      destination: BusName(constant: "org.freedesktop.DBus"), path: ObjectPath(constant: "/org/freedesktop/DBus"),
      interface: InterfaceName(constant: "org.freedesktop.DBus"),
      member: MemberName(constant: "GetConnectionCredentials"))
    try? call.append([.string(sender.string)])
    bus.call(call, timeout: Limits.busTime) { [self] result in
      var verdict = CallerIdentity.Verdict.refused(SegueError(.accessDenied, "The caller is gone."))
      if case .success(let reply) = result, let credentials = try? reply.arguments().first?.asDictionary,
        let pid = credentials["ProcessID"]?.asUInt32, let uid = credentials["UnixUserID"]?.asUInt32
      {
        verdict = CallerIdentity().identify(pid: Int32(clamping: pid), uid: uid)
      }
      if callers.count >= Self.callersMaximum { callers = [:] }
      callers[sender] = verdict
      body(verdict)
    }
  }
}
