import SegueBus
import SegueCore
import SegueState

// The private door: a socket in a folder of the user's own, and who comes through it.

extension Daemon {
  func openDoor() throws(SegueError) {
    let folder = try DoorFolder(settings.doorFolder)
    door = folder
    server = try PeerServer(path: folder.path + "/" + DoorProtocol.socketName, on: loop) { [self] in enter($0) }
  }

  func closeDoor() {
    server?.close()
    server = nil
    door?.remove(socket: DoorProtocol.socketName)
    door = nil
  }

  private func enter(_ connection: Connection) {
    let caller: CallerIdentity.Verdict
    if let peer = connection.credentialsOfPeer() {
      caller = CallerIdentity().identify(pid: peer.pid, uid: peer.uid, connected: .now)
    } else {
      caller = .refused(SegueError(.accessDenied, "The caller is not known."))
    }
    if case .refused(let error) = caller {
      log.notice("refused at the door: \(error.message)", cause: "door")
      return connection.close()
    }
    let process = connection.credentialsOfPeer()?.pid
    guard sessions.values.count(where: { $0.process == process }) < Limits.doorConnectionsPerProcess else {
      log.notice("a process has too many connections at the door; one more was refused", cause: "door")
      return connection.close()
    }
    sessionCount += 1
    let session = Session(number: sessionCount, connection: connection, caller: caller, process: process)
    sessions[session.number] = session
    connection.export(doorObject(for: session), at: SegueAddress.doorPath)
    if caller.mayControl {
      let control = controlObject(withTitles: true) { invocation, body in
        guard session.isGreeted else { return invocation.fail(Self.noHello) }
        body()
      }
      controls.removeAll { !$0.isExported }
      controls.append(control)
      session.control = control
      connection.export(control, at: SegueAddress.controlPath)
    }
    connection.setDisconnected { [self] in leave(session) }
    // Who does not say hello in time is not one of ours.
    session.greeting = loop.timer(after: Limits.handshakeTime) { [self] in leave(session) }
  }

  private func leave(_ session: Session) {
    guard sessions.removeValue(forKey: session.number) != nil else { return }
    session.greeting?.cancel()
    // It holds the session too.
    session.control = nil
    session.connection.close()
    controls.removeAll { !$0.isExported }
    local.sessionEnded(session.number, now: Instant.now)
    localOffersChanged()
    callerGone(session)
  }

  /// Refusals that are remembered.
  private static let refusalsMaximum = 64

  static let noHello = SegueError(
    .accessDenied, "Say Hello first, with the token that OpenDoor gave.", advice: order)

  private static let order = "docs/bus.md tells the order of calls at the door."

  // MARK: The object at the door

  /// The methods of data/dbus-1/interfaces/org.segue.Door1.xml.
  private func doorObject(for session: Session) -> BusObject {
    /// A method for applications that have registered.
    func method(
      _ name: String, in input: [BusArgument], out output: [BusArgument] = [],
      _ body: @escaping ([BusValue], Registration, Invocation) throws(SegueError) -> Void
    ) -> BusMethod {
      BusMethod(name, in: input, out: output) { _, arguments, invocation in
        guard let application = session.application else {
          return invocation.fail(SegueError(.accessDenied, "Register first.", advice: Self.order))
        }
        do throws(SegueError) {
          try body(arguments, application, invocation)
        } catch {
          invocation.fail(error)
        }
      }
    }
    return BusObject([
      BusInterface(
        SegueAddress.doorInterface,
        methods: [
          BusMethod(
            "Hello",
            in: [
              BusArgument("lowest_version", "u"), BusArgument("highest_version", "u"), BusArgument("token", "s"),
              BusArgument("info", "a{sv}"),
            ], out: [BusArgument("version", "u"), BusArgument("daemon_info", "a{sv}")]
          ) { [self] _, arguments, invocation in hello(session, arguments, invocation) },
          BusMethod("Register", in: [BusArgument("app_id", "s"), BusArgument("options", "a{sv}")]) {
            [self] _, arguments, invocation in register(session, arguments, invocation)
          },
          method("SetCurrent", in: [BusArgument("activity", "a{sv}")]) {
            [self] arguments, application, invocation throws(SegueError) in
            let activity = try DoorActivity(arguments.first?.asDictionary ?? BusDictionary())
            try local.setCurrent(
              activity, session: session.number, appID: application.appID, now: Instant.now)
            localOffersChanged()
            saveCopies(of: activity, session.number)
            invocation.reply()
            returned(activity.id)
          },
          method("Resign", in: [BusArgument("activity", "s")]) {
            [self] arguments, _, invocation throws(SegueError) in
            let id = try identifier(arguments.first)
            local.resign(id, session: session.number, now: Instant.now)
            localOffersChanged()
            saveMissingCopies(session.number)
            invocation.reply()
          },
          method("SetExpiry", in: [BusArgument("activity", "s"), BusArgument("options", "a{sv}")]) {
            [self] arguments, application, invocation throws(SegueError) in
            let timeLeft = arguments.last?.asDictionary?["time-left"]?.asUInt64
            setExpiry(try identifier(arguments.first), session, application.appID, timeLeft)
            invocation.reply()
          },
          method("Invalidate", in: [BusArgument("activity", "s")]) {
            [self] arguments, application, invocation throws(SegueError) in
            local.invalidate(
              try identifier(arguments.first), session: session.number, appID: application.appID)
            localOffersChanged()
            invocation.reply()
          },
          method("DeleteSaved", in: [BusArgument("ids", "as"), BusArgument("all", "b")]) {
            [self] arguments, application, invocation throws(SegueError) in
            try deleteSaved(try Self.identifiers(arguments), of: application.appID)
            invocation.reply()
          },
          method(
            "FindDocument", in: [BusArgument("url", "s"), BusArgument("mime_type", "s")],
            out: [BusArgument("place", "a{sv}")]
          ) { [self] arguments, application, invocation throws(SegueError) in
            try findDocument(arguments.first, arguments.last, of: application, invocation)
          },
          method("FollowOffers", in: []) { [self] _, _, invocation in
            invocation.reply()
            follow(session)
          },
          method(
            "Continue",
            in: [BusArgument("device", "s"), BusArgument("activity", "s"), BusArgument("options", "a{sv}")],
            out: [BusArgument("continuation", "s")]
          ) { [self] arguments, application, invocation throws(SegueError) in
            try chooseListed(arguments, session, application, invocation)
          },
          method(
            "Begin", in: [BusArgument("ticket", "s"), BusArgument("options", "a{sv}")],
            out: [BusArgument("info", "a{sv}")]
          ) { [self] arguments, application, invocation throws(SegueError) in
            let showsFailure = arguments.last?.asDictionary?["shows-failure"]?.asBool ?? false
            begin(try identifier(arguments.first), session, application, showsFailure: showsFailure, invocation)
          },
          method("Announced", in: [BusArgument("ticket", "s"), BusArgument("shown", "b")]) {
            [self] arguments, _, invocation throws(SegueError) in
            announced(try identifier(arguments.first), session, shown: arguments.last?.asBool ?? false)
            invocation.reply()
          },
          method("Claim", in: [BusArgument("ticket", "s")], out: [BusArgument("snapshot", "a{sv}")]) {
            [self] arguments, _, invocation throws(SegueError) in
            claim(try identifier(arguments.first), session, invocation)
          },
          method("Finish", in: [BusArgument("ticket", "s"), BusArgument("handled", "b")]) {
            [self] arguments, _, invocation throws(SegueError) in
            finish(try identifier(arguments.first), session, handled: arguments.last?.asBool ?? false)
            invocation.reply()
          },
        ])
    ])
  }

  private func hello(_ session: Session, _ arguments: [BusValue], _ invocation: Invocation) {
    guard arguments.count == 4, let lowest = arguments[0].asUInt32, let highest = arguments[1].asUInt32,
      let token = arguments[2].asString
    else { return invocation.fail(SegueError(.invalidArgument, "This is no Hello.")) }
    guard !session.isGreeted, tokens.use(token, now: Instant.now) else {
      log.notice("a token at the door was wrong, old, or used before", cause: "door")
      return invocation.fail(SegueError(.accessDenied, "The token is wrong, old, or was used before."))
    }
    let version = min(highest, DoorProtocol.highestVersion)
    guard version >= max(lowest, DoorProtocol.lowestVersion) else {
      return invocation.fail(
        SegueError(
          .versionMismatch, "The application's Segue library and segued speak no common version.",
          advice: "Update Segue, then start the application again."))
    }
    session.isGreeted = true
    session.greeting?.cancel()
    invocation.reply([.uint32(version), .dictionary(["version": .string(Version.string)])])
  }

  private func register(_ session: Session, _ arguments: [BusValue], _ invocation: Invocation) {
    guard session.isGreeted else { return invocation.fail(Self.noHello) }
    guard let id = arguments.first?.asString.flatMap({ AppID($0) }) else {
      return invocation.fail(SegueError(.invalidArgument, "An app id is a D-Bus name."))
    }
    do throws(SegueError) {
      session.application = try registry.registration(of: session.caller, as: id)
      // As another application it has other offers.
      session.offers = nil
      refusals.removeAll { $0.appID == id }
      // Else every change of an offer would wake every application.
      controls.removeAll { $0 === session.control }
      session.control = nil
      invocation.reply()
      tellUnheard(session)
    } catch {
      log.notice("\(id.string) was refused: \(error.message)", cause: "register")
      refusals.removeAll { $0.appID == id }
      refusals = refusals.suffix(Self.refusalsMaximum - 1) + [(id, error)]
      invocation.fail(error)
    }
  }

  private func identifier(_ value: BusValue?) throws(SegueError) -> Identifier {
    guard let id = value?.asString.flatMap({ Identifier(hex: $0) }) else {
      throw SegueError(.invalidArgument, "An id or a ticket has 32 hexadecimal digits.")
    }
    return id
  }
}

/// The tokens that were given out for the door: good once, for a short time.
struct DoorTokens {
  private static let life: UInt64 = 30_000
  private var tokens: [String: (until: Instant, caller: String)] = [:]

  /// Whoever asks for more than may come in makes its own oldest ones void, and only then those of others.
  mutating func make(now: Instant, for caller: String = "") -> String {
    tokens = tokens.filter { $0.value.until > now }
    while tokens.values.count(where: { $0.caller == caller }) >= Limits.doorConnectionsPerProcess,
      let oldest = tokens.filter({ $0.value.caller == caller }).min(by: { $0.value.until < $1.value.until })
    {
      tokens[oldest.key] = nil
    }
    while tokens.count >= Limits.doorConnections, let oldest = tokens.min(by: { $0.value.until < $1.value.until }) {
      tokens[oldest.key] = nil
    }
    let token = Identifier.random().hex
    tokens[token] = (now + Self.life, caller)
    return token
  }

  mutating func use(_ token: String, now: Instant) -> Bool {
    guard let given = tokens.removeValue(forKey: token) else { return false }
    return given.until > now
  }
}
