import SegueCore

// The events that applications send at the door.

extension Engine {
  mutating func door(_ session: SessionID, _ event: Event.DoorEvent) {
    switch event {
    case .registered(let appID, let tier, let takesLaunches):
      sessions.register(session, appID, tier, takesLaunches: takesLaunches)
      tellUnheard(session)
    case .left: left(session)
    default:
      guard let application = sessions[session] else { return }
      door(session, application, event)
    }
  }

  private mutating func door(
    _ session: SessionID, _ application: DoorSessions.Application, _ event: Event.DoorEvent
  ) {
    let now = turn.now
    switch event {
    case .registered, .left: break
    case .setCurrent(let activity, let request):
      do throws(SegueError) {
        try origin.change { local throws(SegueError) in
          try local.setCurrent(activity, session: session, appID: application.appID, now: now)
        }
      } catch {
        return turn.emit(.reply(request, .failed(error)))
      }
      if !looksForFile(of: activity.id) { turn.hasChangedOffersHere = true }
      turn.emit(.reply(request, .done))
      forget(copies.becameCurrent(activity, &deadlines, &turn))
      saveMissingCopies(session)
      returned(activity.id)
    case .resign(let id):
      origin.change { $0.resign(id, session: session, now: now) }
      turn.hasChangedOffersHere = true
      saveMissingCopies(session)
    case .setExpiry(let id, let timeLeft):
      origin.change { $0.setExpiry(id, session: session, timeLeft: timeLeft, now: now) }
      turn.hasChangedOffersHere = true
      setLife(timeLeft, of: id, application.appID)
    case .invalidate(let id):
      origin.change { $0.invalidate(id, session: session, appID: application.appID) }
      streams.invalidated(id, by: session)
      forgetState(id, of: application.appID, session)
      turn.hasChangedOffersHere = true
    case .runsPlugin(let plugin): sessions.runs(plugin, session)
    case .deleteSaved(let identifiers, let request): deleteSaved(identifiers, of: application.appID, request)
    case .lastState(let query, let request): lastState(query, of: application, session, request)
    case .followOffers:
      guard application.offers == nil else { return }
      sessions.follow(session)
      sessions.offers(.listed(listed(for: session, among: candidates(at: turn.moment))), session, &turn)
    case .heardOffers: sessions.offers(.heard, session, &turn)
    case .heardContinued(let continuation, let error): heardContinued(session, continuation, error)
    case .choose(let device, let id, let token, let request):
      chooseListed(device, id, token, session, application.appID, request)
    case .begin(let ticket, let showsFailure, let request):
      begin(ticket, session, application, showsFailure: showsFailure, request)
    case .announced(let ticket, let shown):
      guard let continuation = continuations.of(ticket: ticket), continuation.session == session else { return }
      turn.post(.notice(.announced(offered(continuation), continuation: continuation.id, shown: shown)))
    case .claim(let ticket, let request): claim(ticket, session, request)
    case .finish(let ticket, let handled):
      guard let continuation = continuations.of(ticket: ticket), continuation.session == session else { return }
      let time = turn.moment.microseconds
      continuations.change(continuation.id) { $0.times.end(.restore, at: time) }
      turn.post(.continuation(continuation.id, .finished(handled: handled)))
    case .openStream(let continuation, let request): openStream(continuation, session, request)
    case .acceptedStream(let id, let error): acceptedStream(id, session, error)
    case .bringFile(let continuation, let url, let transfer, let request):
      bringFile(continuation, url, transfer: transfer, session, request)
    case .cancelFile(let transfer): cancelFile(transfer, session)
    case .openedFile(let id, let error): openedFile(id, session, error)
    case .saved(let id, let result): saved(id, session, result)
    }
  }

  private mutating func left(_ session: SessionID) {
    guard let application = sessions[session] else { return }
    let appID = application.appID
    let now = turn.now
    if let plugin = application.plugin {
      turn.log(.warning, "\(appID.string) ended while its plugin \(plugin.string) ran", cause: "plugin")
    }
    saves.left(session, in: application.plugin, &deadlines, &turn)
    origin.change { $0.sessionEnded(session, now: now) }
    storeWhatIsLeft(session)
    sessions.leave(session)
    endStreams(of: session)
    endFiles(of: session)
    processLeft(appID)
    turn.hasChangedOffersHere = true
    for continuation in continuations.inOrder where continuation.session == session {
      turn.post(.continuation(continuation.id, application.plugin.map { .pluginEnded($0) } ?? .applicationGone))
    }
  }

  // MARK: Tickets

  private mutating func begin(
    _ ticket: Identifier, _ session: SessionID, _ application: DoorSessions.Application, showsFailure: Bool,
    _ request: RequestID
  ) {
    guard let continuation = continuations.of(ticket: ticket) else {
      return turn.emit(.reply(request, .failed(Self.noTicket)))
    }
    // The ticket alone proves nothing: it must be shown by the application that was chosen (attack 17, 32).
    guard application.appID == continuation.application?.appID, application.tier >= continuation.tier else {
      turn.log(
        .warning, "\(application.appID.string) showed a ticket of \(continuation.takerName); refused", cause: "ticket")
      let error = SegueError(.accessDenied, "This ticket is another application's.")
      return turn.emit(.reply(request, .failed(error)))
    }
    guard continuation.session == nil else { return turn.emit(.reply(request, .failed(Self.noTicket))) }
    continuations.change(continuation.id) {
      $0.pendingBegin = request
      $0.session = session
      $0.showsFailure = showsFailure
    }
    turn.post(.continuation(continuation.id, .begin))
  }

  private mutating func claim(_ ticket: Identifier, _ session: SessionID, _ request: RequestID) {
    if let error = continuations.failure(ticket, session) { return turn.emit(.reply(request, .failed(error))) }
    guard let continuation = continuations.of(ticket: ticket), continuation.session == session,
      continuation.pendingClaim == nil
    else { return turn.emit(.reply(request, .failed(Self.noTicket))) }
    continuations.change(continuation.id) { $0.pendingClaim = request }
    turn.post(.continuation(continuation.id, .claim))
  }

  static let noTicket = SegueError(.notFound, "This ticket is unknown, expired, or was used before.")
}
