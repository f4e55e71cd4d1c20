import SegueCore
import Testing

@testable import SegueEngine

/// The announcements of an engine, its searches, and its dials.
@Suite struct DiscoveryTests {
  // MARK: Announcing

  @Test func D2_eachInterfaceIsAnnouncedWithItsOwnAddresses() throws {
    var desk = try DiscoveryTrial()
    let wireless = try interface(3, "wlan0", ["198.51.100.1/24"])
    let inner = try interface(4, "docker0", ["172.17.0.1/16"])
    let tunnel = try interface(5, "wg0", ["10.8.0.2/24"])
    let effects = desk.begin([desk.wired, wireless, inner, tunnel])
    let announcement = try #require(effects.announced?.first)
    #expect(announcement.interfaces == [desk.wired, wireless, tunnel])
    #expect(announcement.kind == .device && announcement.nonce.count == 16)
    #expect(announcement.name.utf8.count == 16 && announcement.host == "\(announcement.name).local")
    #expect(effects.browsed == [.device])
  }

  @Test func whoeverIsPairedWithNobodyTellsNothing() throws {
    var desk = try DiscoveryTrial(isPaired: false)
    #expect(desk.begin() == [])
    desk.handle(.paired([Event.PairedName(device: desk.lap, name: "lap")]))
    #expect(desk.effects.announced?.count == 1)
    desk.handle(.paired([]))
    #expect(desk.effects.announced == [] && desk.effects.browsed == [])
  }

  @Test func whatTheUserDoesNotWantIsNotAnnounced() throws {
    var settings = DiscoverySettings()
    settings.isOn = false
    var off = try DiscoveryTrial(settings)
    #expect(off.begin() == [] && off.engine.discoveryState == .off)
    settings = DiscoverySettings()
    settings.skippedNetworks = [try #require(IPNetwork("192.0.2.0/24"))]
    var desk = try DiscoveryTrial(settings)
    #expect(desk.begin() == [] && desk.engine.discoveryState == .noNetwork)
    let elsewhere = try interface(2, "eth0", ["198.51.100.1/24"])
    desk.handle(.discovery(.interfaces([elsewhere])))
    #expect(desk.effects.announced?.first?.interfaces == [elsewhere] && desk.engine.discoveryState == .on)
    #expect(desk.effects.searches == [ServiceSearch(.device, on: 2)])
    // The device does not search where it is not announced itself.
    let both = try [interface(1, "eth1", ["192.0.2.1/24"]), elsewhere, interface(3, "docker0", ["172.17.0.1/16"])]
    desk.handle(.discovery(.interfaces(both)))
    #expect(desk.effects == [])
  }

  @Test func interfacesAndTheirAddressesAreBounded() throws {
    for extra in 0...1 {
      var desk = try DiscoveryTrial()
      let addresses = (1...Limits.interfaceAddresses + extra).map { "10.0.0.\($0)/24" }
      let all = try (1...Limits.interfaces + extra).map { try interface(Int32($0), "eth\($0)", addresses) }
      let interfaces = try #require(desk.begin(all).announced?.first?.interfaces)
      #expect(interfaces.count == Limits.interfaces)
      #expect(interfaces.allSatisfy { $0.addresses.count == Limits.interfaceAddresses })
    }
  }

  @Test func attack20_nameAndNonceChangeTogetherEachHour() throws {
    var desk = try DiscoveryTrial()
    let first = try #require(desk.begin().announced?.first)
    desk.pass(Limits.announcementTime - 1)
    #expect(desk.effects == [])
    desk.pass(1)
    let second = try #require(desk.effects.announced?.first)
    #expect(second.name != first.name && second.nonce != first.nonce && second.text != first.text)
  }

  @Test func attack20_inAnotherNetworkTheNameIsAnotherOne() throws {
    var desk = try DiscoveryTrial()
    let first = try #require(desk.begin().announced?.first)
    let container = try interface(9, "veth0", ["172.17.0.1/16"])
    for interfaces in [[desk.wired], [desk.wired, container]] {
      desk.handle(.discovery(.interfaces(interfaces)))
      #expect(desk.effects == [])
    }
    desk.handle(.discovery(.interfaces([try interface(2, "eth0", ["198.51.100.1/24"])])))
    let second = try #require(desk.effects.announced?.first)
    #expect(second.name != first.name && second.nonce != first.nonce)
  }

  @Test func D7_afterACollisionAnotherNameIsTaken() throws {
    var desk = try DiscoveryTrial()
    var name = try #require(desk.begin().announced?.first?.name)
    var time = Limits.collisionTime
    for _ in 1...10 {
      desk.handle(.discovery(.collided(.device)))
      #expect(desk.effects.announced == [])
      desk.pass(time - 1)
      #expect(desk.effects == [])
      desk.pass(1)
      let next = try #require(desk.effects.announced?.first?.name)
      #expect(next != name)
      name = next
      time = min(time * 2, Limits.collisionTimeMaximum)
    }
    #expect(time == Limits.collisionTimeMaximum)
  }

  @Test func D8_whoAnnouncesMayGoAndComeBack() throws {
    var desk = try DiscoveryTrial()
    let error = SegueError(.connectionUnavailable, "Avahi does not run.", advice: "Start it.")
    desk.handle(.discovery(.available(error)))
    // Without a network, the missing service is not logged.
    #expect(desk.logs.count == 0)
    desk.handle(.discovery(.interfaces([desk.wired])))
    for _ in 1...2 { desk.handle(.discovery(.available(error))) }
    #expect(desk.logs.count == 1 && desk.engine.discoveryState == .unavailable(error))
    desk.handle(.discovery(.available(nil)))
    let first = try #require(desk.effects.announced?.first)
    #expect(desk.effects.browsed == [.device] && desk.engine.discoveryState == .on)
    // The service was restarted, and has no state of this device.
    desk.handle(.discovery(.available(nil)))
    #expect(desk.effects.announced == [first] && desk.effects.browsed == [.device])
  }

  // MARK: Pairing

  @Test func whoPairsIsAnnouncedAndFoundUntilTheWindowCloses() throws {
    var desk = try DiscoveryTrial(isPaired: false)
    #expect(desk.begin() == [])
    desk.handle(.control(1, .pairing(.open(PairingWish()))))
    let first = try #require(desk.effects.announced?.first)
    #expect(first.kind == .pairing && first.nonce == [] && first.text == [Array("v=1".utf8)])
    #expect(desk.effects.browsed == [.pairing])
    desk.find("~", "192.0.2.9", kind: .pairing)
    let place = [LinkAddress(host: "192.0.2.9", port: 4000)]
    #expect(desk.dialled == place)
    // The other device may not have been ready.
    desk.pass(Limits.probeTime)
    #expect(desk.dialled == place)
    desk.handle(.control(2, .pairing(.end)))
    #expect(desk.effects.announced == [] && desk.effects.browsed == [])
    desk.handle(.control(3, .pairing(.open(PairingWish()))))
    #expect(try #require(desk.effects.announced?.first).name != first.name)
    #expect(desk.dialled == [])
  }

  @Test func ofTwoThatFindEachOtherOneDialsAtOnce() throws {
    // These names sort after and before every other one.
    for (name, waits) in [("~", false), ("!", true)] {
      var desk = try DiscoveryTrial(isPaired: false)
      desk.begin()
      desk.handle(.control(1, .pairing(.open(PairingWish()))))
      desk.find(name, "192.0.2.9", kind: .pairing)
      let place = [LinkAddress(host: "192.0.2.9", port: 4000)]
      #expect(desk.dialled == (waits ? [] : place))
      desk.pass(Limits.probeTime)
      // The other device cannot reach this one.
      #expect(desk.dialled == place)
    }
  }

  @Test func aCodeIsNotAnnounced() throws {
    var desk = try DiscoveryTrial(isPaired: false)
    desk.begin()
    desk.handle(.control(1, .pairing(.open(PairingWish(showsCode: true)))))
    #expect(desk.effects == [])
  }
}

extension [DiscoveryEffect] {
  /// The announcements from now on.
  var announced: [Announcement]? {
    compactMap { if case .announce(let list) = $0 { list } else { nil } }.last
  }

  /// The kinds of service that are searched for from now on.
  var browsed: Set<ServiceKind>? { searches.map { Set($0.map { $0.kind }) } }

  var searches: Set<ServiceSearch>? {
    compactMap { if case .browse(let searches) = $0 { searches } else { nil } }.last
  }

  /// The numbers of the dials.
  var probes: [UInt64] {
    compactMap { if case .probe(let number, _, _) = $0 { number } else { nil } }
  }

  var probed: [String] {
    compactMap { if case .probe(_, let address, _) = $0 { address.description } else { nil } }
  }
}

func interface(_ index: Int32, _ name: String, _ networks: [String]) throws -> NetworkInterface {
  NetworkInterface(
    index: index, name: name, addresses: try networks.map { try #require(IPNetwork($0)) }, port: 4711)
}

/// An engine that has paired with lap, and is on one network.
struct DiscoveryTrial {
  var engine: Engine
  var now: UInt64 = 1_000
  let lap = TestCrypto(2).device
  let wired: NetworkInterface
  /// The effects of the last event.
  var effects: [DiscoveryEffect] = []
  var dialled: [LinkAddress] = []
  /// The log lines of all events.
  var logs: [String] = []

  init(_ settings: DiscoverySettings = DiscoverySettings(), isPaired: Bool = true) throws {
    wired = try interface(2, "eth0", ["192.0.2.1/24", "fe80::1/64"])
    engine = Engine(
      EngineSettings(
        device: TestCrypto(1).device, deviceName: "desk", boot: "boot", discovery: settings, crypto: FreshCrypto()),
      at: Moment(instant: 1_000, seconds: 1_800_000_000, microseconds: 0))
    if isPaired { handle(.paired([Event.PairedName(device: lap, name: "lap")])) }
  }

  mutating func handle(_ event: Event) {
    let moment = Moment(instant: Instant(milliseconds: now), seconds: 1_800_000_000, microseconds: 0)
    (effects, dialled) = ([], [])
    for effect in engine.handle(event, at: moment) {
      switch effect {
      case .discovery(let effect): effects.append(effect)
      case .pairing(.dial(let addresses)): dialled += addresses
      case .log(_, let text, "discovery"): logs.append(text)
      default: break
      }
    }
  }

  @discardableResult mutating func begin(_ interfaces: [NetworkInterface]? = nil) -> [DiscoveryEffect] {
    handle(.discovery(.interfaces(interfaces ?? [wired])))
    handle(.discovery(.available(nil)))
    return effects
  }

  mutating func pass(_ time: UInt64) {
    now += time
    handle(.time)
  }

  mutating func find(
    _ name: String, _ address: String, port: UInt16 = 4000, kind: ServiceKind = .device, on interface: Int32 = 2,
    text: [[UInt8]]? = nil
  ) {
    let key = FoundService.Key(kind: kind, interface: interface, isIPv6: address.contains(":"), name: name)
    let nonce: [UInt8] = kind == .device ? Array(repeating: 7, count: 16) : []
    let text = text ?? ServiceText(nonce: nonce).strings
    handle(.discovery(.found(FoundService(key: key, address: address, port: port, text: text))))
  }

  /// The dial of the last event ends.
  mutating func end(_ number: UInt64?, with device: DeviceID? = nil) {
    if let number { handle(.discovery(.probed(number, device))) }
  }
}

/// Names and nonces that are new each time, so that a test cannot guess them either.
private struct FreshCrypto: PairingCrypto, Sendable {
  let known = TestCrypto(1)

  func hash(_ bytes: [UInt8]) -> [UInt8] { known.hash(bytes) }
  func mac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] { known.mac(bytes, key: key) }
  func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
  var key: [UInt8] { known.key }
  func signature(of bytes: [UInt8]) -> [UInt8]? { known.signature(of: bytes) }
  func device(key: [UInt8], signature: [UInt8], of bytes: [UInt8]) -> DeviceID? {
    known.device(key: key, signature: signature, of: bytes)
  }
}
