import SegueBus
import SegueCore

// What the user is told by notifications: carries out what Notices decides.

extension Daemon {
  /// The bus is there. No notification server need be.
  func openNotices() {
    guard let bus else { return }
    notificationServer = NotificationServer(bus, startTime: settings.times.noticeStart) { [self] event in
      switch event {
      case .appeared: notice(.serverAppeared)
      case .gone: notice(.serverGone)
      case .notShown(let key): notice(.notShown(key))
      case .closed(let key): notice(.closed(key))
      case .invoked(let key, let token): notice(.invoked(key, activationToken: token))
      }
    }
  }

  /// The bus is gone, and with it what was on the screen.
  func closeNotices() {
    guard let server = notificationServer else { return }
    notificationServer = nil
    server.close()
    notice(.serverGone)
  }

  func notice(_ event: Notices.Event) {
    for effect in notices.handle(event, now: Instant.now) {
      switch effect {
      case .show(let key, let notice):
        if let server = notificationServer { server.show(key, notice) } else { self.notice(.notShown(key)) }
      case .close(let key):
        notificationServer?.close(key)
      case .choose(let id, let token):
        chooseNotice(id, token)
      }
    }
  }

  /// Offers of other devices that can be continued here; those of this device are never announced (semantics V19).
  func noticeOffers() {
    guard settings.showsOffers else { return }
    notice(.offers(shownRemoteOffers.compactMap { offered($0) }))
  }

  private func offered(_ entry: RemoteOffers.Entry) -> Notices.Offered? {
    guard let application = match(entry.offer).candidates.first else { return nil }
    return Notices.Offered(
      id: entry.offer.id, title: entry.offer.title, origin: name(of: entry.device),
      application: Notice.Application(application))
  }

  func offered(_ continuation: RunningContinuation) -> Notices.Offered {
    Notices.Offered(
      id: continuation.offer.id, title: continuation.offer.title, origin: originName(of: continuation),
      application: Notice.Application(continuation.application))
  }

  /// What runs tells by itself how it goes.
  private func chooseNotice(_ id: Identifier, _ token: String?) {
    let entry = remote.entry(id)
    var refusal: SegueError?
    let runs = choose(id, activationToken: token) { if case .failure(let error) = $0 { refusal = error } }
    if !runs, let refusal { notice(.refused(entry.flatMap { offered($0) }, refusal, id: id)) }
  }
}
