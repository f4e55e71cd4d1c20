import SegueBus
import SegueCore

// A continuation's application: launched over the session bus, then met at the door.

extension Daemon {
  // MARK: Launching

  /// `startsIt`: the bus starts the application where it does not run. Else one is meant that knows the continuation.
  func launch(_ continuation: RunningContinuation, startsIt: Bool = true) {
    continuation.ticket = .random()
    // After the launch message: the application need not wait until the user interfaces have heard of it.
    defer { progress(continuation, .launching) }
    guard let bus else {
      return handle(
        .launchFailed(SegueError(.connectionUnavailable, "The session bus is gone."), ownerGone: false), continuation)
    }
    let call = Message.call(
      destination: continuation.application.appID.segueName, path: SegueAddress.applicationPath,
      interface: SegueAddress.applicationInterface, member: MemberName(constant: "WillContinue"))
    call.isNoAutoStart = !startsIt
    var platform: BusDictionary = ["continuation": .string(continuation.id.hex), "resumes": .bool(!startsIt)]
    if let token = continuation.activationToken { platform["activation-token"] = .string(token) }
    do throws(SegueError) {
      try call.append([
        .string(continuation.ticket.hex), .string(continuation.offer.type.string), .dictionary(platform),
      ])
    } catch {
      return handle(.launchFailed(error, ownerGone: false), continuation)
    }
    let ticket = continuation.ticket
    var pending: PendingReply?
    // The machine's launch timer ends the wait before this does; this lets go of an owner that never answers.
    pending = bus.call(call, timeout: settings.times.launch + Limits.busTime) { [self] result in
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

  func begin(
    _ ticket: Identifier, _ session: Session, _ application: Registration, showsFailure: Bool, _ invocation: Invocation
  ) {
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
    continuation.showsFailure = showsFailure
    handle(.begin, continuation)
  }

  private static let noTicket = SegueError(.notFound, "This ticket is unknown, expired, or was used before.")

  func acceptBegin(_ continuation: RunningContinuation) {
    let now = Instant.now
    let offer = continuation.offer
    var info: BusDictionary = [
      "activity-type": .string(offer.type.string),
      "title": .string(offer.title ?? continuation.application.name),
      "device-name": .string(originName(of: continuation)),
      "continuation": .string(continuation.id.hex),
      "time-left": .uint64(now.time(until: continuation.deadline)),
      "stored": .bool(offer.isSnapshot),
    ]
    if let age = age(of: continuation.source) { info["stored-age"] = .uint64(age) }
    continuation.pendingBegin?.reply([.dictionary(info)])
    continuation.pendingBegin = nil
    progress(continuation, .begun)
    let waiting = continuation.callers.filter { $0.awaited == .begun }
    continuation.callers.removeAll { $0.awaited == .begun }
    for caller in waiting { caller.tell(.success(continuation.id)) }
  }

  /// Where it comes from, for a person.
  func originName(of continuation: RunningContinuation) -> String {
    switch continuation.source {
    case .device(let device): name(of: device)
    case .kept(let key): key.device.map { name(of: $0) } ?? settings.deviceName
    case .here: settings.deviceName
    }
  }

  /// The application's will_continue has returned (semantics V4).
  func announced(_ ticket: Identifier, _ session: Session, shown: Bool) {
    guard let continuation = continuation(ticket: ticket), continuation.session == session.number else { return }
    notice(.announced(offered(continuation), continuation: continuation.id, shown: shown))
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

  func answerClaim(_ continuation: RunningContinuation, _ snapshot: Snapshot) {
    do throws(SegueError) {
      continuation.pendingClaim?.reply([.dictionary(try DoorSnapshot.encode(snapshot))])
    } catch {
      continuation.pendingClaim?.fail(error)
    }
    continuation.pendingClaim = nil
  }

  func finish(_ ticket: Identifier, _ session: Session, handled: Bool) {
    guard let continuation = continuation(ticket: ticket), continuation.session == session.number else { return }
    continuation.times.end(.restore, at: monotonicMicroseconds())
    handle(.finished(handled: handled), continuation)
  }

  func callerGone(_ session: Session) {
    for continuation in continuations.values where continuation.session == session.number {
      handle(.callerGone, continuation)
    }
  }
}
