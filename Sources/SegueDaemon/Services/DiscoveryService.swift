import SegueBus
import SegueCore
import SegueEngine

/// Announces this device and finds others, by Avahi where it runs, and has the link look who they are. Avahi is never
/// started from here: whether services are announced in a network is for those to decide who look after the machine.
final class DiscoveryService {
  private let bus: SystemBus
  private let link: LinkService
  private let loop: EventLoop
  private let tell: (DiscoveryEvent) -> Void
  private var user: SystemBus.User?
  private var owner: NameWatch?
  private var avahi: Avahi?

  /// One run of it that is known.
  private struct Avahi {
    let server: AvahiServer
    let announcer: AvahiAnnouncer
    let browser: AvahiBrowser
    var state: SignalSubscription?
    var isReady = false
    /// Until it is ready, or counts as not being there.
    var patience: LoopTimer?

    func close() {
      state?.cancel()
      patience?.cancel()
      announcer.close()
      browser.close()
    }
  }

  private static let running: Int32 = 2
  private static let manually = "Until then pair by address or by code: linked devices remember each other's addresses."
  private static let noBus = SegueError(
    .connectionUnavailable, "There is no system bus, and so no Avahi.",
    advice: "Install and start dbus and avahi-daemon. \(manually)")
  private static let noAvahi = SegueError(
    .connectionUnavailable, "Avahi does not run.", advice: "Install and start avahi-daemon. \(manually)")
  private static let notReady = SegueError(
    .connectionUnavailable, "Avahi is not ready.",
    advice: "Look at what it says: journalctl -u avahi-daemon. \(manually)")

  init(_ bus: SystemBus, link: LinkService, loop: EventLoop, tell: @escaping (DiscoveryEvent) -> Void) {
    self.bus = bus
    self.link = link
    self.loop = loop
    self.tell = tell
    link.reportProbe = { tell(.probed($0, $1)) }
  }

  /// Tells soon whether there is Avahi, and again whenever that changes.
  func open() {
    user = bus.use { [weak self] connection in
      guard let self else { return }
      leave()
      owner?.cancel()
      owner = nil
      guard let connection else { return tell(.available(Self.noBus)) }
      owner = connection.watchOwner(of: AvahiServer.name) { [weak self] in self?.ownerChanged($0, on: connection) }
    }
  }

  /// The bus's connection ends after this, and Avahi takes everything back.
  func close() {
    leave()
    owner?.cancel()
    owner = nil
    user?.cancel()
    user = nil
  }

  /// Carries out what discovery wants. While there is no Avahi, nothing is announced or found.
  func perform(_ effect: DiscoveryEffect) {
    switch effect {
    case .announce(let announcements):
      for announcement in announcements where !announcement.nonce.isEmpty { link.publish(nonce: announcement.nonce) }
      ready?.announcer.announce(announcements)
    case .browse(let kinds): ready?.browser.browse(kinds)
    case .probe(let number, let address, let nonce): link.probe(number, at: address, nonce: nonce)
    }
  }

  private var ready: Avahi? { avahi.flatMap { $0.isReady ? $0 : nil } }

  private func leave() {
    avahi?.close()
    avahi = nil
  }

  // MARK: Avahi

  private func ownerChanged(_ owner: BusName?, on connection: Connection) {
    leave()
    guard let owner else { return tell(.available(Self.noAvahi)) }
    let server = AvahiServer(connection, owner: owner)
    var avahi = Avahi(
      server: server, announcer: AvahiAnnouncer(server, tell: tell), browser: AvahiBrowser(server, tell: tell))
    avahi.state = server.listen("StateChanged", of: .server) { [weak self] _, values in
      self?.stateChanged(values)
    }
    avahi.patience = loop.timer(after: Limits.busTime) { [weak self] in self?.tell(.available(Self.notReady)) }
    self.avahi = avahi
    server.call("GetState", of: .server) { [weak self] result in
      guard let self, self.avahi?.server === server else { return }
      switch result {
      case .success(let values): stateChanged(values)
      case .failure(let refusal):
        self.avahi?.patience?.cancel()
        tell(.available(refusal.error))
      }
    }
  }

  /// Before Avahi runs it checks whether another machine has this machine's name. It repeats that while it runs, too,
  /// when it has to change that name, which does not concern Segue.
  private func stateChanged(_ values: [BusValue]) {
    guard values.first?.asInt32 == Self.running, avahi?.isReady == false else { return }
    avahi?.isReady = true
    avahi?.patience?.cancel()
    tell(.available(nil))
  }
}
