import SegueBus
import SegueCore
import SegueLink
import SegueState

// The link to the other devices: its events, brought over to the main thread.

extension Daemon {
  func startLink() throws(SegueError) {
    let addresses = try settings.listen.map { text throws(SegueError) in
      guard let address = LinkAddress(text) else {
        throw SegueError(
          .invalidArgument, "\"\(text)\" is no address to listen on.",
          advice: "Write host:port, or [host]:port for IPv6.")
      }
      return address
    }
    let loop = loop
    // The daemon ends after its link: `end` stops the link before the loop is closed.
    nonisolated(unsafe) let daemon = self
    let link = Link(identity: identity, name: settings.deviceName, logger: log.logger) { event in
      loop.post { daemon.linkEvent(event) }
    }
    self.link = link
    ports = try link.start(listenOn: addresses, saved: SavedPort(folder: folder))
    setPeers()
  }

  func setPeers() {
    link?.setPeers(pins.devices.map { LinkPeer(id: $0.id, addresses: $0.addresses) })
  }

  private func linkEvent(_ event: LinkEvent) {
    // What is done with is told to the link after the work: that wakes its thread, which would run in the way of it.
    switch event {
    case .up(let device, let name, _):
      online[device] = DisplayText.clean(name, maximum: Limits.titleAdvised)
      if remote.lose(device, now: Instant.now) { offersChanged() }
      sendOffers(to: device)
      fetchAgain(from: device)
      tellUntold(device)
      devicesChanged()
    case .down(let device, _):
      online[device] = nil
      keeping.lost(device)
      if keptCopies.keys.contains(where: { $0.device == device }) { offersChanged() }
      if remote.lose(device, now: Instant.now) { offersChanged() }
      devicesChanged()
    case .unreached(let device):
      firstDials.unreached(device)
      goOnWaiting()
    case .refused(let device, let error):
      log.notice("\(name(of: device)): \(error.message)", cause: "link")
    case .control(let device, let bytes):
      message(bytes, from: device)
      link?.consumed(bytes.count, from: device)
    case .channelOpened(let device, let channel, let first):
      if !waitsForReturn(channel, device, first) { fetchAsked(channel, device, first) }
      link?.consumed(first.count, from: device)
    case .channelData(let channel, let bytes):
      fetchData(channel, bytes)
      // Later: the finish that comes with the last bytes lets the application go on, and that goes first.
      loop.later { [self] in link?.consumed(bytes.count, on: channel) }
    case .channelFinished(let channel):
      fetchFinished(channel)
    case .channelClosed(let channel, let error):
      fetchAbandoned(channel)
      abandonReturning(channel)
      fetchClosed(channel, error)
    case .writable:
      break  // An answer is shorter than what may be under way.
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

  private func message(_ bytes: [UInt8], from device: DeviceID) {
    guard pins.devices.contains(where: { $0.id == device }) else { return }
    do throws(SegueError) {
      switch try LinkMessage.decode(bytes) {
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
    } catch {
      log.notice("\(name(of: device)): \(error.message)", cause: "message")
    }
  }

  /// What the user calls a device, else what it calls itself.
  func name(of device: DeviceID) -> String {
    let given = pins.devices.first { $0.id == device }?.name ?? ""
    if !given.isEmpty { return given }
    return online[device] ?? device.short
  }
}
