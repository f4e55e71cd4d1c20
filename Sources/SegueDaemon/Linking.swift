import SegueBus
import SegueCore
import SegueEngine

// The link to the other devices: what they say.

extension Daemon {
  func linkEvent(_ event: Event.LinkEvent) {
    switch event {
    case .up(let device, _):
      if remote.lose(device, now: Instant.now) { offersChanged() }
      sendOffers(to: device)
      fetchAgain(from: device)
      tellUntold(device)
      devicesChanged()
    case .down(let device):
      keeping.lost(device)
      if keptCopies.keys.contains(where: { $0.device == device }) { offersChanged() }
      if remote.lose(device, now: Instant.now) { offersChanged() }
      devicesChanged()
    case .unreached(let device):
      firstDials.unreached(device)
      goOnWaiting()
    case .message(let device, let message):
      received(message, from: device)
    case .fetchAsked(let channel, _, let request):
      if !waitsForReturn(channel, request) { fetchAsked(channel, request) }
    case .fetchAnswered(let id, let answer):
      if let fetch = fetches.removeValue(forKey: id) { fetchEnded(fetch, answer) }
    case .fetchLost(let id, let withLink):
      if let fetch = fetches.removeValue(forKey: id) { fetchLost(fetch, withLink: withLink) }
    case .channelClosed(let channel):
      fetchAbandoned(channel)
      abandonReturning(channel)
    }
  }

  /// Nothing is shown for longer than its origin said, whether that can still withdraw it or not (semantics C7).
  private func remoteOffersExpire() {
    let (isChanged, next) = remote.expire(now: Instant.now)
    remoteTimer?.cancel()
    remoteTimer = next.map { time in loop.timer(at: time + 1) { [self] in remoteOffersExpire() } }
    if isChanged { offersChanged() }
  }

  /// The device is no longer paired: nothing of it can be taken, and nothing waits for it.
  func unpaired(_ device: DeviceID) {
    remote.forget(device)
    firstDials.heard(device)
    journal.change { $0.forget(device) }
    forgetKept(of: device)
    let error = SegueError(.connectionUnavailable, "The other device is no longer paired.", advice: "Pair it again.")
    for continuation in continuations.values where continuation.source == .device(device) {
      cancelFetch(continuation)
      handle(.fetchFailed(error), continuation)
    }
    offersChanged()
    goOnWaiting()
  }

  private func received(_ message: LinkMessage, from device: DeviceID) {
    switch message {
    case .offers(let sequence, let offers):
      if remote.replace(device, sequence: sequence, offers: offers, now: Instant.now) { offersChanged() }
      remoteOffersExpire()
      keep(offers, of: device)
      firstDials.heard(device)
      goOnWaiting()
    case .continued(let notice):
      received(notice, from: device)
    case .acknowledged(let continuation):
      acknowledged(continuation, by: device)
    }
  }

  func name(of device: DeviceID) -> String { link.name(of: device) }
}
