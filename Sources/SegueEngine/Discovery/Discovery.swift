import SegueCore

/// Whether this device is announced in its networks, under which name, and which devices it looks for there (network.md
/// D1, D2, D7, D8).
///
/// No announcement of another machine is trusted: it only names a place to dial, where a link proves which device is
/// there. It changes nothing that is known of a paired device.
struct Discovery {
  private let settings: DiscoverySettings
  private let period: UInt64
  private let crypto: (any PairingCrypto & Sendable)?
  private var interfaces: [NetworkInterface] = []
  private var service: Service = .unknown
  private var names: [ServiceKind: Name] = [:]
  private var found = FoundServices()
  /// The services of devices that are being paired.
  private var pairing = FoundServices()
  // The last announcements, searches and problem that were reported.
  private var announced: [Announcement] = []
  private var browsed: Set<ServiceSearch> = []
  private var toldProblem: SegueError?

  /// The state of the service that announces and finds devices on this machine.
  private enum Service: Equatable {
    case unknown
    case available
    case missing(SegueError)
  }

  /// A random name, with the values that change with it.
  private struct Name {
    var text: String
    var nonce: [UInt8]
    var until: Instant
    /// After a collision, the name is not announced before this moment.
    var from: Instant
    var collisionTime = Limits.collisionTime
  }

  /// The needs of the rest of the engine, as far as they concern discovery.
  struct Wish {
    /// Whether any device is paired, and so may look for this one.
    var isPaired: Bool
    /// Whether the given device is paired and not linked; for nil, whether any is.
    var isMissing: (DeviceID?) -> Bool
    /// Whether the user waits for a device to pair with.
    var pairs: Bool
  }

  init(_ settings: EngineSettings) {
    self.settings = settings.discovery
    period = settings.times.announcement
    crypto = settings.crypto
  }

  var state: DiscoveryState {
    if !settings.isOn { return .off }
    if case .missing(let error) = service { return .unavailable(error) }
    return outside.isEmpty ? .noNetwork : .on
  }

  /// How many services of devices are remembered.
  var foundCount: Int { found.count }

  private var outside: [NetworkInterface] { interfaces.filter { settings.allows($0) } }

  // MARK: Events

  mutating func handle(_ event: DiscoveryEvent, _ turn: inout Turn) {
    switch event {
    case .interfaces(let list): replace(list, &turn)
    case .available(let error):
      replace(error)
      turn.hasChangedDevices = true
    case .collided(let kind): collided(kind, at: turn.now)
    case .notAnnounced(let kind, let error):
      turn.log(.notice, "This device is not announced as \(kind.type): \(error.message)", cause: "announcing")
      collided(kind, at: turn.now)
    case .found(let service): add(service, at: turn.now)
    case .gone(let key):
      found.remove(key)
      pairing.remove(key)
    case .probed(let number, let device): found.ended(number, device, at: turn.now)
    }
  }

  /// A link has ended.
  mutating func lost(at now: Instant) { found.hurry(at: now) }

  /// In another network the device takes another name, so that nobody can follow it from one network to the next.
  private mutating func replace(_ list: [NetworkInterface], _ turn: inout Turn) {
    let list = list.prefix(Limits.interfaces).map { interface in
      var interface = interface
      interface.addresses = Array(interface.addresses.prefix(Limits.interfaceAddresses))
      return interface
    }
    let former = outside
    interfaces = list
    // Interfaces that come or go inside this machine, such as a container's, change nothing.
    guard outside != former else { return }
    names = [:]
    let here = Set(outside.map { $0.index })
    found.removeAll { !here.contains($0.interface) }
    found.hurry(at: turn.now)
    pairing.removeAll { !here.contains($0.interface) }
    turn.hasChangedDevices = true
  }

  private mutating func replace(_ error: SegueError?) {
    service = error.map { .missing($0) } ?? .available
    // The service has been replaced, and the new one has no state.
    (announced, browsed) = ([], [])
    found.removeAll()
    pairing.removeAll()
  }

  private mutating func collided(_ kind: ServiceKind, at now: Instant) {
    let time = names[kind]?.collisionTime ?? Limits.collisionTime
    names[kind] = newName(from: now + time, at: now)
    names[kind]?.collisionTime = min(time * 2, Limits.collisionTimeMaximum)
  }

  private mutating func add(_ service: FoundService, at now: Instant) {
    // A service that is reported after its search has ended is ignored.
    guard browsed.contains(ServiceSearch(service.key.kind, on: service.key.interface)),
      Int(service.port) >= Limits.lowestPort,
      let ip = IPAddress(service.address),
      let interface = outside.first(where: { $0.index == service.key.interface }), interface.reaches(ip),
      !names.values.contains(where: { $0.text == service.key.name }), let text = ServiceText(service.text)
    else { return }
    let host = ip.isLinkLocal ? "\(service.address)%\(interface.name)" : service.address
    let address = LinkAddress(host: host, port: service.port)
    let target = FoundServices.Target(address: address, nonce: text.nonce)
    switch service.key.kind {
    case .device: if !text.nonce.isEmpty { found.add(service.key, target, at: now) }
    case .pairing:
      // Both devices find each other, and one dial is enough: so one of them first waits for the other one to dial.
      let isFirst = names[.pairing].map { $0.text < service.key.name } ?? true
      pairing.add(service.key, target, at: isFirst ? now : now + Limits.probeTime)
    }
  }

  // MARK: Effects

  /// Emits what has changed, and the dials that are due. Returns the addresses of devices that are being paired, which
  /// are to be dialled now.
  mutating func settle(_ wish: Wish, _ turn: inout Turn) -> [LinkAddress] {
    let (outside, now) = (outside, turn.now)
    guard service == .available else {
      tellProblem(outside, &turn)
      return []
    }
    toldProblem = nil
    var kinds: Set<ServiceKind> = []
    if wish.isPaired { kinds.insert(.device) }
    if wish.pairs { kinds.insert(.pairing) }
    if outside.isEmpty { kinds = [] }
    // A kind that is no longer announced loses its name, so that a device that pairs again has another one.
    for kind in ServiceKind.allCases where !kinds.contains(kind) { names[kind] = nil }
    let announcements = ServiceKind.allCases.compactMap { kind -> Announcement? in
      guard kinds.contains(kind), let name = name(of: kind, at: now), name.from <= now else { return nil }
      return Announcement(
        kind: kind, name: name.text, nonce: kind == .device ? name.nonce : [], interfaces: outside)
    }
    if announcements != announced {
      announced = announcements
      turn.emit(.discovery(.announce(announcements)))
    }
    // If no paired device is missing, none is looked for.
    if !wish.isMissing(nil) { kinds.remove(.device) }
    let searches = Set(kinds.flatMap { kind in outside.map { ServiceSearch(kind, on: $0.index) } })
    if searches != browsed {
      browsed = searches
      if !kinds.contains(.device) { found.removeAll() }
      if !kinds.contains(.pairing) { pairing.removeAll() }
      turn.emit(.discovery(.browse(searches)))
    }
    for (number, target) in found.due(at: now, isMissing: wish.isMissing) {
      turn.emit(.discovery(.probe(number, target.address, nonce: target.nonce)))
    }
    return wish.pairs ? pairing.takeDue(at: now) : []
  }

  /// Logs the problem once, and only on a network where there could be other devices.
  private mutating func tellProblem(_ outside: [NetworkInterface], _ turn: inout Turn) {
    guard case .missing(let error) = service, error != toldProblem, !outside.isEmpty else { return }
    toldProblem = error
    turn.log(.notice, "Devices are not found by themselves: \(error.message) \(error.advice)", cause: "discovery")
  }

  /// The next moment at which there is something to do.
  func next(_ wish: Wish, at now: Instant) -> Instant? {
    guard service == .available else { return nil }
    let ends = announced.compactMap { names[$0.kind]?.until }
    let starts = names.values.map { $0.from }.filter { $0 > now }
    let dials = [found.next(isMissing: wish.isMissing), wish.pairs ? pairing.next { _ in true } : nil]
    return (ends + starts + dials.compactMap { $0 }).min()
  }

  private mutating func name(of kind: ServiceKind, at now: Instant) -> Name? {
    if let name = names[kind], name.until > now { return name }
    names[kind] = newName(from: now, at: now)
    return names[kind]
  }

  private func newName(from: Instant, at now: Instant) -> Name? {
    guard let crypto else { return nil }
    return Name(
      text: Base32.text(crypto.random(Self.nameLength)), nonce: crypto.random(ServiceText.nonceLength),
      until: now + period, from: from)
  }

  /// The number of random bytes in a name. Its text is short enough that no suffix can make it too long (D7).
  private static let nameLength = 10
}
