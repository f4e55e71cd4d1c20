import SegueCore

// The notifications that leave the engine: origins and their applications are told that an activity was continued
// (semantics V11, X9), applications are sent the offers that they may continue, and the user gets desktop
// notifications.

extension Engine {
  // MARK: The origin's device

  /// Tells a device of the continuations that it has not acknowledged.
  mutating func tellUntold(_ device: DeviceID) {
    guard devices.isOnline(device) else { return }
    for untold in journal.untold where untold.device == device {
      turn.emit(.send(.continued(untold.notice), to: device))
    }
  }

  // MARK: The origin's application

  /// Tells every process of the application that its activity was continued. Only the processes know which activities
  /// still live, on offer or not (semantics V11). A process that connects later is told when it registers.
  mutating func tellApplication(_ pending: ContinuationJournal.Pending) {
    for session in sessions.sessions(of: pending.notice.appID) { tell(session, pending) }
  }

  mutating func tellUnheard(_ session: SessionID) {
    for pending in journal.unheard where pending.notice.appID == sessions[session]?.appID { tell(session, pending) }
  }

  private mutating func tell(_ session: SessionID, _ pending: ContinuationJournal.Pending) {
    if sessions.tell(session, pending) { turn.emit(.tellContinued(session, pending.notice)) }
  }

  mutating func heardContinued(_ session: SessionID, _ continuation: Identifier, _ error: SegueError?) {
    guard let told = sessions.told(session, continuation) else { return }
    if error.map({ $0.code == .notFound && isLast(session, of: told.notice.appID) }) ?? true {
      journal.hear(continuation, from: told.device)
      recording.caused(by: told.device, &deadlines, at: turn.now)
    } else {
      sessions.decline(session, told, unheard: journal.unheard)
    }
    tellUnheard(session)
  }

  /// A process of the application has ended. If one process is left, it is asked again about the activities that it
  /// said it does not have, since no other process can have them now.
  mutating func processLeft(_ appID: AppID) {
    let left = sessions.sessions(of: appID)
    guard left.count == 1, let last = left.first else { return }
    sessions.askAgain(last)
    tellUnheard(last)
  }

  /// Whether no other process of the application can have the activity. Just after a start other processes may still
  /// come back.
  private func isLast(_ session: SessionID, of appID: AppID) -> Bool {
    sessions.sessions(of: appID) == [session] && turn.now >= origin.returnEnd
  }

  // MARK: The applications' own menus

  mutating func tellFollowers() {
    let followers = sessions.followers
    guard !followers.isEmpty else { return }
    let candidates = candidates(at: turn.moment)
    for session in followers {
      sessions.offers(.listed(listed(for: session, among: candidates)), session, &turn)
    }
  }

  // MARK: Notifications

  mutating func notice(_ event: Notices.Event) {
    for effect in notices.handle(event, now: turn.now) {
      switch effect {
      case .show(let key, let notice): turn.emit(.showNotice(key, notice))
      case .close(let key): turn.emit(.closeNotice(key))
      case .choose(let id, let token):
        wait(for: Choice(activity: id.activity, device: id.device, activationToken: token, chooser: .surface))
      case .accept(let device, let introducer): acceptIntroduction(of: device, by: introducer)
      case .decline(let device): declineIntroduction(of: device)
      case .readText(let id, let token): turn.emit(.showText(id, activationToken: token))
      }
    }
  }

  mutating func noticeHappened(_ event: Event.NoticeEvent) {
    switch event {
    case .serverAppeared: notice(.serverAppeared)
    case .serverGone: notice(.serverGone)
    case .notShown(let key): notice(.notShown(key))
    case .closed(let key):
      if case .offer(let id) = key { incoming.end(id) }
      notice(.closed(key))
    case .invoked(let key, let action, let token): notice(.invoked(key, action, activationToken: token))
    }
  }

  /// Hands the offers of other devices that can be continued here to `Notices`. Offers of this device's own
  /// applications are never shown by notification (semantics V19). An offer that was sent here is shown in any case.
  mutating func noticeOffers() {
    incoming.keep { remote.entry($0.activity, of: $0.device) != nil }
    let sent = incoming.shown.compactMap { remote.entry($0.activity, of: $0.device) }
    let others = settings.showsOffers ? shownRemoteOffers.filter { !incoming.shown.contains($0.id) } : []
    notice(.offers((sent + others).compactMap { offered($0) }))
  }

  func offered(_ entry: RemoteOffers.Entry) -> Notices.Offered? {
    let match = catalog.match(entry.offer, at: turn.moment)
    let application = match.candidates.first.map { Notice.Application($0) }
    guard let application = application ?? match.browserHost.map({ _ in .browser }) else { return nil }
    return Notices.Offered(
      id: entry.id, title: entry.offer.title,
      origin: devices.name(of: entry.device),
      application: application, pageHost: match.browserHost,
      isSent: incoming.shown.contains(entry.id), file: fileSentence(entry.offer, of: entry.device))
  }

  func offered(_ continuation: RunningContinuation) -> Notices.Offered {
    Notices.Offered(
      id: continuation.offerID(own: devices.own), title: continuation.offer.title, origin: originName(of: continuation),
      application: continuation.application.map { Notice.Application($0) } ?? .browser,
      pageHost: continuation.application == nil ? continuation.offer.webHost : nil)
  }
}
