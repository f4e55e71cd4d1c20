import SegueBus
import SegueCore
import SegueLink

// The continuing side: carries out what ContinuationMachine decides.

/// A continuation that runs.
final class RunningContinuation {
  let id: Identifier
  let offer: RemoteOffers.Entry
  let application: InstalledApplication
  let activationToken: String?
  var machine = ContinuationMachine()
  /// Everyone who asked for it; each is answered with its outcome.
  var callers: [Invocation]
  /// The only good ticket.
  var ticket = Identifier.random()
  /// Who has begun it.
  var session: UInt64?
  /// The call that the next effect answers.
  var pendingBegin: Invocation?
  var pendingClaim: Invocation?
  var channel: ChannelID?
  var timers: [(ContinuationMachine.Timer, LoopTimer)] = []
  /// Monotonic: when it fails at the latest.
  var deadline: UInt64 = 0

  init(
    offer: RemoteOffers.Entry, application: InstalledApplication, activationToken: String?, caller: Invocation
  ) {
    id = .random()
    self.offer = offer
    self.application = application
    self.activationToken = activationToken
    callers = [caller]
  }
}

/// A fetch from another device that is under way.
struct OutgoingFetch {
  let continuation: Identifier
  var bytes: [UInt8] = []
}

extension Daemon {
  /// Failures that are remembered for a late claim.
  private static let failuresMaximum = 16

  // MARK: Choosing

  /// The user chose an offer.
  func choose(_ id: Identifier, activationToken: String?, _ invocation: Invocation) {
    guard let entry = remote.entry(id) ?? remote.recent(id, now: monotonicMilliseconds()) else {
      return invocation.fail(
        SegueError(.notFound, "There is no such offer any more.", advice: "List what there is with: segue activities"))
    }
    // A second choice of the same offer joins; one of another offer takes its place (semantics V3).
    if let running = continuations.values.first(where: { $0.offer.offer.id == id }) {
      running.callers.append(invocation)
      return
    }
    guard let application = registry.index.candidates(for: entry.offer).first else {
      return invocation.fail(
        SegueError(
          .noApplication, "No application on this device can continue \(entry.offer.type.string).",
          advice: "Install \(entry.offer.appID.string) here; its desktop file must list the type."))
    }
    for other in continuations.values { handle(.superseded, other) }
    let continuation = RunningContinuation(
      offer: entry, application: application, activationToken: activationToken, caller: invocation)
    continuation.deadline = monotonicMilliseconds() + settings.times.ticket
    continuations[continuation.id] = continuation
    handle(.chosen, continuation)
  }

  func handle(_ event: ContinuationMachine.Event, _ continuation: RunningContinuation) {
    for effect in continuation.machine.handle(event) { perform(effect, continuation) }
  }

  private func perform(_ effect: ContinuationMachine.Effect, _ continuation: RunningContinuation) {
    switch effect {
    case .fetch: fetch(continuation)
    case .cancelFetch: cancelFetch(continuation)
    case .launch: launch(continuation)
    case .acceptBegin: acceptBegin(continuation)
    case .refuseBegin(let error): answer(&continuation.pendingBegin, error)
    case .answerClaim(let snapshot): answerClaim(continuation, snapshot)
    case .failClaim(let error), .refuseClaim(let error): answer(&continuation.pendingClaim, error)
    case .start(let timer): start(timer, continuation)
    case .stop(let timer): stop(timer, continuation)
    case .showNotResponding: progress(continuation, "not-responding")
    case .tellOrigin: tellOrigin(continuation)
    case .ended(let error, let toldByApplication): ended(continuation, error, toldByApplication)
    }
  }

  private func progress(_ continuation: RunningContinuation, _ state: String) {
    emitControl("ContinuationChanged", [.string(continuation.id.hex), .string(state)])
  }

  private func answer(_ pending: inout Invocation?, _ error: SegueError) {
    pending?.fail(error)
    pending = nil
  }

  // MARK: Times

  private func start(_ timer: ContinuationMachine.Timer, _ continuation: RunningContinuation) {
    let time =
      switch timer {
      case .fetch: settings.times.fetch
      case .launch: settings.times.launch
      case .notResponding: settings.times.notResponding
      case .claim: settings.times.claim
      case .finish: settings.times.finish
      }
    continuation.timers.append((timer, loop.timer(after: time) { [self] in handle(.expired(timer), continuation) }))
  }

  private func stop(_ timer: ContinuationMachine.Timer, _ continuation: RunningContinuation) {
    for (kind, running) in continuation.timers where kind == timer { running.cancel() }
    continuation.timers.removeAll { $0.0 == timer }
  }

  // MARK: Fetching

  private func fetch(_ continuation: RunningContinuation) {
    let offer = continuation.offer
    guard let link, online[offer.device] != nil else {
      return handle(.fetchFailed(Self.unreachable(name(of: offer.device))), continuation)
    }
    do throws(SegueError) {
      let request = FetchRequest(
        continuation: continuation.id, activity: offer.offer.id, appID: continuation.application.appID)
      let channel = link.openChannel(to: offer.device, first: try request.encode())
      link.finish(channel)
      continuation.channel = channel
      fetches[channel] = OutgoingFetch(continuation: continuation.id)
    } catch {
      handle(.fetchFailed(error), continuation)
    }
  }

  private static func unreachable(_ device: String) -> SegueError {
    SegueError(
      .connectionUnavailable, "\(device) cannot be reached.", advice: "Check that it is on and in the same network.")
  }

  private func cancelFetch(_ continuation: RunningContinuation) {
    guard let channel = continuation.channel else { return }
    fetches[channel] = nil
    continuation.channel = nil
    link?.reset(channel, .userCancelled)
  }

  func fetchData(_ channel: ChannelID, _ bytes: [UInt8]) {
    guard var fetch = fetches.removeValue(forKey: channel) else { return }
    guard fetch.bytes.count + bytes.count <= FetchAnswer.maximum else {
      link?.reset(channel, .handoffUserInfoTooLarge)
      return fetchEnded(fetch, .failure(SegueError(.handoffUserInfoTooLarge, "The activity's state is too large.")))
    }
    fetch.bytes += bytes
    fetches[channel] = fetch
  }

  func fetchFinished(_ channel: ChannelID) {
    guard let fetch = fetches.removeValue(forKey: channel) else { return }
    do throws(SegueError) {
      fetchEnded(fetch, try FetchAnswer.decode(fetch.bytes))
    } catch {
      fetchEnded(fetch, .failure(error))
    }
  }

  func fetchClosed(_ channel: ChannelID, _ error: SegueError?) {
    guard let fetch = fetches.removeValue(forKey: channel) else { return }
    fetchEnded(
      fetch,
      .failure(
        SegueError(
          .connectionUnavailable, "The connection to the other device was lost while the activity was on its way.",
          advice: error?.advice ?? "Continue again.")))
  }

  private func fetchEnded(_ fetch: OutgoingFetch, _ answer: FetchAnswer) {
    guard let continuation = continuations[fetch.continuation] else { return }
    continuation.channel = nil
    switch answer {
    case .snapshot(let snapshot):
      guard snapshot.id == continuation.offer.offer.id, snapshot.type == continuation.offer.offer.type else {
        return handle(
          .fetchFailed(SegueError(.protocolViolation, "The other device sent another activity.")), continuation)
      }
      handle(.fetched(snapshot), continuation)
    case .failure(let error):
      handle(.fetchFailed(error), continuation)
    }
  }

  private func tellOrigin(_ continuation: RunningContinuation) {
    let offer = continuation.offer
    if let bytes = try? LinkMessage.continued(offer.offer.id).encode() { link?.sendControl(bytes, to: offer.device) }
  }

  // MARK: Launching

  private func launch(_ continuation: RunningContinuation) {
    continuation.ticket = .random()
    // After the launch message: the application need not wait until the user interfaces have heard of it.
    defer { progress(continuation, "launching") }
    guard let bus else {
      return handle(
        .launchFailed(SegueError(.connectionUnavailable, "The session bus is gone."), ownerGone: false), continuation)
    }
    let call = Message.call(
      destination: continuation.application.appID.segueName, path: SegueAddress.applicationPath,
      interface: SegueAddress.applicationInterface, member: MemberName(constant: "WillContinue"))
    var platform = BusDictionary()
    if let token = continuation.activationToken { platform["activation-token"] = .string(token) }
    do throws(SegueError) {
      try call.append([
        .string(continuation.ticket.hex), .string(continuation.offer.offer.type.string), .dictionary(platform),
      ])
    } catch {
      return handle(.launchFailed(error, ownerGone: false), continuation)
    }
    let ticket = continuation.ticket
    var pending: PendingReply?
    // The machine's launch timer bounds the wait.
    pending = bus.call(call, timeout: .max) { [self] result in
      let name = pending?.errorName
      pending = nil
      // What is said of an earlier ticket does not matter any more.
      guard case .failure(let error) = result, continuation.ticket == ticket else { return }
      let ownerGone = name == "org.freedesktop.DBus.Error.NoReply"
      handle(.launchFailed(launchError(error, name, continuation.application), ownerGone: ownerGone), continuation)
    }
  }

  /// What a person wants to hear of a launch that failed.
  private func launchError(_ error: SegueError, _ name: String?, _ application: InstalledApplication) -> SegueError {
    let service = application.appID.segueName.string + ".service"
    guard let name, name.hasPrefix("org.freedesktop.DBus.Error.") else { return error }
    if name == "org.freedesktop.DBus.Error.ServiceUnknown" || name == "org.freedesktop.DBus.Error.NameHasNoOwner" {
      let reason =
        application.serviceFile == nil
        ? "its service file \(service) is missing, or names something else"
        : "the session bus does not know its service file \(service)"
      return SegueError(
        .launchFailed, "\(application.name) cannot be launched: \(reason).",
        advice: "Install the application again, or start it by hand and continue once more.")
    }
    if name == "org.freedesktop.DBus.Error.NoReply" {
      return SegueError(
        .applicationExited, "\(application.name) ended before it took the activity over.", advice: "Continue again.")
    }
    return SegueError(
      .launchFailed, "\(application.name) could not be launched: \(error.message)",
      advice: "Look at the Exec line of \(application.serviceFile ?? service).")
  }

  // MARK: The application at the door

  private func continuation(ticket: Identifier) -> RunningContinuation? {
    continuations.values.first { $0.ticket == ticket }
  }

  func begin(_ ticket: Identifier, _ session: Session, _ application: Registration, _ invocation: Invocation) {
    guard let continuation = continuation(ticket: ticket) else { return invocation.fail(Self.noTicket) }
    // The ticket alone proves nothing: whoever shows it must be the application that was chosen (attack 17, 32).
    guard application.appID == continuation.application.appID, application.tier >= continuation.application.tier else {
      log.warning(
        "\(application.appID.string) showed a ticket of \(continuation.application.appID.string); refused",
        cause: "ticket")
      return invocation.fail(SegueError(.accessDenied, "This ticket is another application's."))
    }
    guard continuation.session == nil else { return invocation.fail(Self.noTicket) }
    continuation.pendingBegin = invocation
    continuation.session = session.number
    handle(.begin, continuation)
  }

  private static let noTicket = SegueError(.notFound, "This ticket is unknown, expired, or was used before.")

  private func acceptBegin(_ continuation: RunningContinuation) {
    let now = monotonicMilliseconds()
    let offer = continuation.offer
    continuation.pendingBegin?.reply([
      .dictionary([
        "activity-type": .string(offer.offer.type.string),
        "title": .string(offer.offer.title ?? continuation.application.name),
        "device-name": .string(name(of: offer.device)),
        "time-left": .uint64(continuation.deadline > now ? continuation.deadline - now : 0),
      ])
    ])
    continuation.pendingBegin = nil
    progress(continuation, "begun")
  }

  func claim(_ ticket: Identifier, _ session: Session, _ invocation: Invocation) {
    if let failure = failures.first(where: { $0.ticket == ticket && $0.session == session.number }) {
      return invocation.fail(failure.error)
    }
    guard let continuation = continuation(ticket: ticket), continuation.session == session.number,
      continuation.pendingClaim == nil
    else { return invocation.fail(Self.noTicket) }
    continuation.pendingClaim = invocation
    handle(.claim, continuation)
  }

  private func answerClaim(_ continuation: RunningContinuation, _ snapshot: Snapshot) {
    do throws(SegueError) {
      continuation.pendingClaim?.reply([.dictionary(try DoorSnapshot.encode(snapshot))])
    } catch {
      continuation.pendingClaim?.fail(error)
    }
    continuation.pendingClaim = nil
  }

  func finish(_ ticket: Identifier, _ session: Session, handled: Bool) {
    guard let continuation = continuation(ticket: ticket), continuation.session == session.number else { return }
    handle(.finished(handled: handled), continuation)
  }

  func callerGone(_ session: Session) {
    for continuation in continuations.values where continuation.session == session.number {
      handle(.callerGone, continuation)
    }
  }

  // MARK: The end

  private func ended(_ continuation: RunningContinuation, _ error: SegueError?, _ toldByApplication: Bool) {
    for (_, timer) in continuation.timers { timer.cancel() }
    continuation.timers = []
    continuations[continuation.id] = nil
    for caller in continuation.callers {
      if let error { caller.fail(error) } else { caller.reply([.string(continuation.id.hex)]) }
    }
    continuation.callers = []
    if let error {
      // A claim that is still out gets the outcome as well, and so does one that is on its way (semantics V1, V3).
      answer(&continuation.pendingClaim, error)
      if let session = continuation.session { failures.append((continuation.ticket, session, error)) }
      if failures.count > Self.failuresMaximum { failures.removeFirst() }
    }
    progress(continuation, error == nil ? "continued" : "failed")
    if let error, !toldByApplication, error.code != .userCancelled {
      log.notice("\(continuation.application.name): \(error.message)", cause: "continuation")
    }
  }
}
