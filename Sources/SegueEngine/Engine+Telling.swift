import SegueCore

// Who hears that an activity was continued (semantics V11, X9), and what the user is shown.

extension Engine {
  // MARK: The origin's device

  /// Says to a device what it has not acknowledged.
  mutating func tellUntold(_ device: DeviceID) {
    guard devices.isOnline(device) else { return }
    for untold in journal.untold where untold.device == device {
      turn.emit(.send(.continued(untold.notice), to: device))
    }
  }

  // MARK: The origin's application

  /// Every process of the application hears that its activities were continued: only they know which of them live, on
  /// offer or not (semantics V11). One that comes later is told as it registers.
  mutating func tellApplication(_ appID: AppID) {
    for session in sessions.sessions(of: appID) { tellUnheard(session) }
  }

  mutating func tellUnheard(_ session: SessionID) {
    for unheard in journal.unheard where unheard.notice.appID == sessions[session]?.appID {
      if sessions.tell(session, unheard) { turn.emit(.tellContinued(session, unheard.notice)) }
    }
  }

  mutating func heardContinued(_ session: SessionID, _ continuation: Identifier, _ error: SegueError?) {
    guard let told = sessions.told(session, continuation) else { return }
    if let error {
      guard error.code == .notFound, isLast(session, of: told.notice.appID) else { return }
    }
    journal.hear(continuation, from: told.device)
    tellUnheard(session)
  }

  /// Whether what this process does not have is nowhere. Just after a start others may still come back.
  private func isLast(_ session: SessionID, of appID: AppID) -> Bool {
    sessions.sessions(of: appID) == [session] && turn.now >= origin.returnEnd
  }

  // MARK: The applications' own menus

  mutating func tellFollowers() {
    let followers = sessions.followers
    guard !followers.isEmpty else { return }
    let candidates = candidates
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
        wait(for: Choice(activity: id, activationToken: token, chooser: .notice))
      }
    }
  }

  mutating func noticeHappened(_ event: Event.NoticeEvent) {
    switch event {
    case .serverAppeared: notice(.serverAppeared)
    case .serverGone: notice(.serverGone)
    case .notShown(let key): notice(.notShown(key))
    case .closed(let key): notice(.closed(key))
    case .invoked(let key, let token): notice(.invoked(key, activationToken: token))
    }
  }

  /// Offers of other devices that can be continued here; those of this device are never announced (semantics V19).
  mutating func noticeOffers() {
    guard settings.showsOffers else { return }
    notice(.offers(shownRemoteOffers.compactMap { offered($0) }))
  }

  func offered(_ entry: RemoteOffers.Entry) -> Notices.Offered? {
    guard let application = catalog.match(entry.offer, at: turn.moment).candidates.first else { return nil }
    return Notices.Offered(
      id: entry.offer.id, title: entry.offer.title, origin: devices.name(of: entry.device),
      application: Notice.Application(application))
  }

  func offered(_ continuation: RunningContinuation) -> Notices.Offered {
    Notices.Offered(
      id: continuation.offer.id, title: continuation.offer.title, origin: originName(of: continuation),
      application: Notice.Application(continuation.application))
  }
}
