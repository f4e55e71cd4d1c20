import Logging
import SegueBus
import SegueCore
import Testing

@testable import SegueDaemon
@testable import SegueEngine

/// The service with a stand-in for Avahi. With the real one: Tests/system/discovery_test.py.
@Suite(.serialized) final class DiscoveryServiceTests {
  private let loop: EventLoop
  private let machine: MachineBus
  private let bus: SystemBus
  private let node: LinkServiceNode
  private var service: DiscoveryService?
  private var told: [DiscoveryEvent] = []

  init() throws {
    loop = try EventLoop()
    machine = try MachineBus()
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    bus = SystemBus(address: machine.address, loop: loop, log: Log(logger))
    node = try LinkServiceNode(loop, "desk")
    service = DiscoveryService(bus, link: node.service, loop: loop) { [unowned self] in told.append($0) }
  }

  private func wait(_ condition: () -> Bool) throws { try loop.wait(until: condition) }

  /// The search that the tests make.
  private let device = ServiceSearch(.device, on: 2)

  /// Waits until all calls have arrived at Avahi, and its signals have arrived here.
  private func settle(_ avahi: AvahiStandIn) throws {
    for _ in 0..<3 { try machine.settle(avahi.connection, on: loop) }
  }

  /// Avahi, which is known to run.
  private func running() throws -> AvahiStandIn {
    try machine.start()
    let avahi = try AvahiStandIn(machine, on: loop)
    service?.open()
    try wait { availability == [nil] }
    told = []
    return avahi
  }

  /// Avahi's availability as it was reported: nil where it runs.
  private var availability: [SegueError?] {
    told.compactMap { if case .available(let error) = $0 { .some(error) } else { nil } }
  }

  private var found: [FoundService] {
    told.compactMap { if case .found(let service) = $0 { service } else { nil } }
  }

  private func interface(_ index: Int32, _ addresses: String...) -> NetworkInterface {
    NetworkInterface(
      index: index, name: "eth\(index)", addresses: addresses.compactMap { IPNetwork($0) }, port: 4711)
  }

  private func announcement(_ kind: ServiceKind = .device, _ interfaces: NetworkInterface...) -> Announcement {
    Announcement(kind: kind, name: "qwer", nonce: [UInt8](repeating: 7, count: 16), interfaces: interfaces)
  }

  // MARK: Whether there is Avahi

  @Test func D8_aMachineWithoutABus() throws {
    service?.open()
    try wait { availability.count == 1 }
    let error = try #require(availability[0])
    #expect(error.message.contains("system bus") && error.advice.contains("pair by address or by code"))
    service?.perform(.browse([device]))
    service?.close()
  }

  @Test func D8_absentThenLateThenGoneThenBack() throws {
    try machine.start()
    service?.open()
    try wait { availability.count == 1 }
    #expect(try #require(availability[0]).advice.contains("Install and start avahi-daemon"))
    // The service calls no absent Avahi, and so the bus starts none.
    service?.perform(.announce([announcement(.device, interface(2, "10.0.0.1/24"))]))
    service?.perform(.browse([device]))
    var avahi: AvahiStandIn? = try AvahiStandIn(machine, on: loop)
    try wait { availability.count == 2 }
    #expect(availability[1] == nil)
    #expect(avahi?.members == ["GetState"])
    avahi?.connection.close()
    try wait { availability.count == 3 }
    #expect(availability[2] != nil)
    avahi = try AvahiStandIn(machine, on: loop)
    try wait { availability.count == 4 }
    #expect(availability[3] == nil)
    // The bus goes, and Avahi with it.
    machine.kill()
    try wait { availability.count == 5 }
    #expect(availability[4]?.message.contains("system bus") == true)
    service?.close()
  }

  @Test func itIsThereWhenItRuns() throws {
    try machine.start()
    let avahi = try AvahiStandIn(machine, on: loop, state: 1)
    service?.open()
    try wait { !avahi.calls.isEmpty }
    try settle(avahi)
    #expect(told.isEmpty)
    try avahi.become(2)
    try wait { availability == [nil] }
    // It has to look for another name of the machine, which is none of ours.
    try avahi.become(3)
    try avahi.become(1)
    try avahi.become(2)
    try settle(avahi)
    #expect(told.count == 1)
    service?.close()
  }

  @Test func D8_whoRefusesIsNotThere() throws {
    try machine.start()
    let avahi = try AvahiStandIn(machine, on: loop)
    avahi.refusals["GetState"] = "org.freedesktop.DBus.Error.AccessDenied"
    service?.open()
    try wait { availability.count == 1 }
    #expect(availability[0]?.message.contains("Avahi") == true)
    service?.close()
  }

  // MARK: Announcing

  @Test func D2_eachInterfaceHasItsOwnAddressesOnly() throws {
    let avahi = try running()
    let (eth2, eth3) = (interface(2, "10.0.0.1/24", "fe80::1/64"), interface(3, "10.1.0.1/24"))
    service?.perform(.announce([announcement(.device, eth2, eth3)]))
    try wait { avahi.members.filter { $0 == "Commit" }.count == 2 }
    let services = avahi.calls.filter { $0.member == "AddService" }
    #expect(Set(services.map { $0.values[0].asInt32 }) == [2, 3])
    for call in services {
      #expect(
        Array(call.values.dropFirst()) == [
          .int32(-1), .uint32(0), .string("qwer"), .string("_segue._tcp"), .string("local"), .string("qwer.local"),
          .uint16(4711), .array(elementSignature: "ay", announcement().text.map { .bytes($0) }),
        ])
    }
    let addresses = avahi.calls.filter { $0.member == "AddAddress" }.map(\.values)
    let expected: [(Int32, Int32, String)] = [(2, 0, "10.0.0.1"), (2, 1, "fe80::1"), (3, 0, "10.1.0.1")]
    #expect(addresses.count == expected.count)
    for (interface, version, address) in expected {
      #expect(
        addresses.contains([
          .int32(interface), .int32(version), .uint32(16), .string("qwer.local"), .string(address),
        ]))
    }
    service?.close()
  }

  @Test func whatIsAnnouncedStaysAndWhatIsNotIsTakenBack() throws {
    let avahi = try running()
    let (eth2, eth3) = (interface(2, "10.0.0.1/24"), interface(3, "10.1.0.1/24"))
    service?.perform(.announce([announcement(.device, eth2)]))
    try wait { avahi.members.last == "Commit" }
    let count = avahi.calls.count
    service?.perform(.announce([announcement(.device, eth2)]))
    try settle(avahi)
    #expect(avahi.calls.count == count)
    service?.perform(.announce([announcement(.device, eth2, eth3), announcement(.pairing, eth2)]))
    try wait { avahi.members.filter { $0 == "Commit" }.count == 3 }
    #expect(!avahi.members.contains("Free"))
    // Another address on the one: the other is let alone.
    service?.perform(.announce([announcement(.device, interface(2, "10.0.0.9/24"), eth3)]))
    try wait { avahi.members.filter { $0 == "Commit" }.count == 4 }
    #expect(avahi.members.filter { $0 == "Free" }.count == 2)
    service?.perform(.announce([]))
    try wait { avahi.members.filter { $0 == "Free" }.count == 4 }
    #expect(avahi.groups.allSatisfy { $0 == ["AddService", "AddAddress", "Commit", "Free"] })
    #expect(told.isEmpty)
    service?.close()
  }

  @Test func whatIsTakenBackWhileItIsMadeIsFreed() throws {
    let avahi = try running()
    service?.perform(.announce([announcement(.device, interface(2, "10.0.0.1/24"))]))
    service?.perform(.announce([]))
    try wait { avahi.groups == [["Free"]] }
    service?.close()
  }

  @Test func D7_aCollisionIsToldOnceAndTheNameGivenUp() throws {
    let avahi = try running()
    let wanted = [announcement(.device, interface(2, "10.0.0.1/24"), interface(3, "10.1.0.1/24"))]
    service?.perform(.announce(wanted))
    try wait { avahi.members.filter { $0 == "Commit" }.count == 2 }
    try avahi.group(at: "/Client0/Object1", became: 1)
    try avahi.group(at: "/Client0/Object2", became: 2)
    try avahi.group(at: "/Client0/Object9", became: 3)
    try settle(avahi)
    #expect(told.isEmpty)
    try avahi.group(at: "/Client0/Object1", became: 3)
    try avahi.group(at: "/Client0/Object2", became: 3)
    try wait { avahi.members.filter { $0 == "Free" }.count == 2 }
    try settle(avahi)
    guard case .collided(.device) = told.first, told.count == 1 else {
      Issue.record("\(told)")
      return
    }
    // Said again it is tried again, and another machine may be quicker on this one.
    avahi.refusals["AddService"] = "org.freedesktop.Avahi.CollisionError"
    service?.perform(.announce(wanted))
    try wait { told.count == 2 }
    guard case .collided(.device) = told[1] else {
      Issue.record("\(told)")
      return
    }
    service?.close()
  }

  @Test(arguments: ["EntryGroupNew", "AddService", "AddAddress", "Commit"])
  func D8_whatAvahiDoesNotAnnounceIsTold(_ member: String) throws {
    let avahi = try running()
    avahi.refusals[member] = "org.freedesktop.Avahi.NotPermittedError"
    service?.perform(.announce([announcement(.pairing, interface(2, "10.0.0.1/24"), interface(3, "10.1.0.1/24"))]))
    try wait { !told.isEmpty }
    try settle(avahi)
    guard case .notAnnounced(.pairing, let error) = told[0], told.count == 1 else {
      Issue.record("\(told)")
      return
    }
    #expect(error.code == .accessDenied && error.advice.contains("disable-user-service-publishing"))
    service?.close()
  }

  @Test func D8_aGroupThatFailsIsTold() throws {
    let avahi = try running()
    service?.perform(.announce([announcement(.device, interface(2, "10.0.0.1/24"))]))
    try wait { avahi.members.last == "Commit" }
    try avahi.group(at: "/Client0/Object1", became: 4)
    try wait { !told.isEmpty }
    guard case .notAnnounced(.device, let error) = told[0] else {
      Issue.record("\(told)")
      return
    }
    #expect(error.message.contains("org.freedesktop.Avahi.Error"))
    service?.close()
  }

  // MARK: Finding

  @Test func aServiceIsFoundWhereItIsSeenAndIsGoneAgain() throws {
    let avahi = try running()
    service?.perform(.browse([ServiceSearch(.device, on: 7)]))
    try wait { avahi.members.last == "ServiceBrowserNew" }
    #expect(
      avahi.calls.last?.values == [.int32(7), .int32(-1), .string("_segue._tcp"), .string("local"), .uint32(0)])
    try avahi.item("ItemNew", "a b.c\u{1F600}", interface: 7, version: 1)
    try wait { avahi.resolving.count == 1 }
    #expect(
      avahi.calls.last?.values == [
        .int32(7), .int32(1), .string("a b.c\u{1F600}"), .string("_segue._tcp"), .string("local"), .int32(1),
        .uint32(0),
      ])
    avahi.resolve("fe80::7", version: 1, text: ["v=1", "n=x"])
    try wait { found.count == 1 }
    let key = FoundService.Key(kind: .device, interface: 7, isIPv6: true, name: "a b.c\u{1F600}")
    #expect(
      found == [FoundService(key: key, address: "fe80::7", port: 4711, text: [Array("v=1".utf8), Array("n=x".utf8)])])
    try avahi.item("ItemRemove", "a b.c\u{1F600}", interface: 7, version: 1)
    try wait { told.count == 2 }
    guard case .gone(key) = told[1] else {
      Issue.record("\(told)")
      return
    }
    service?.close()
  }

  @Test func whatIsGoneBeforeItIsResolvedIsNotTold() throws {
    let avahi = try running()
    service?.perform(.browse([device]))
    try avahi.item("ItemNew", "one")
    try wait { avahi.resolving.count == 1 }
    try avahi.item("ItemRemove", "one")
    try settle(avahi)
    avahi.resolve("10.0.0.2")
    try settle(avahi)
    #expect(told.isEmpty)
    // Nor what is not resolved at all.
    try avahi.item("ItemNew", "one")
    try wait { avahi.resolving.count == 1 }
    avahi.refuseToResolve()
    try avahi.item("ItemNew", "two")
    try wait { avahi.resolving.count == 1 }
    avahi.resolve("10.0.0.2")
    try wait { !told.isEmpty }
    #expect(found.map(\.key.name) == ["two"])
    service?.close()
  }

  @Test func whatWasNotLookedForIsLeftOut() throws {
    let avahi = try running()
    service?.perform(.browse([device]))
    try avahi.item("ItemNew", "own", flags: 4 | 16)
    try avahi.item("ItemNew", "pairing", type: "_segue-pair._tcp")
    try avahi.item("ItemNew", "elsewhere", interface: 3)
    try avahi.item("ItemNew", "far", domain: "example.com")
    try avahi.item("ItemNew", "neither", version: -1)
    for member: StaticString in ["ItemNew", "ItemRemove", "StateChanged", "Failure"] {
      for interface in [AvahiStandIn.server, AvahiStandIn.group, AvahiStandIn.browser] {
        for values: [BusValue] in [[], [.string("x")], [.int32(2)], [.uint32(3), .string("")]] {
          try avahi.say(member, of: interface, values)
        }
      }
    }
    // Somebody else on the bus says so.
    let stranger = try AvahiStandIn(machine, on: loop, isNamed: false)
    try stranger.item("ItemNew", "stranger")
    try machine.settle(stranger.connection, on: loop)
    try avahi.item("ItemNew", "device")
    try wait { avahi.resolving.count == 1 }
    // An address of the other version than was asked for.
    avahi.resolve("fe80::1", version: 1)
    try avahi.item("ItemNew", "other")
    try wait { avahi.resolving.count == 1 }
    avahi.resolve("10.0.0.3")
    try wait { !told.isEmpty }
    #expect(found.map(\.key.name) == ["other"])
    #expect(told.count == 1)
    // The search ends.
    service?.perform(.browse([]))
    try wait { avahi.members.last == "Free" }
    try avahi.item("ItemNew", "late")
    try avahi.item("ItemRemove", "other")
    try settle(avahi)
    #expect(avahi.resolving.isEmpty)
    #expect(told.count == 1)
    service?.close()
  }

  @Test func oneSearchEndsAndTheOthersGoOn() throws {
    let avahi = try running()
    let (other, pairing) = (ServiceSearch(.device, on: 3), ServiceSearch(.pairing, on: 2))
    service?.perform(.browse([device, other, pairing]))
    try wait { avahi.members.filter { $0 == "ServiceBrowserNew" }.count == 3 }
    try avahi.item("ItemNew", "one", interface: 2)
    try avahi.item("ItemNew", "two", interface: 3)
    try wait { avahi.resolving.count == 2 }
    service?.perform(.browse([device, pairing]))
    try wait { avahi.members.last == "Free" }
    #expect(avahi.members.filter { $0 == "ServiceBrowserNew" }.count == 3)
    for _ in 0..<2 { avahi.resolve("10.0.0.2") }
    try wait { !told.isEmpty }
    try settle(avahi)
    #expect(found.map(\.key.name) == ["one"])
    #expect(told.count == 1)
    service?.close()
  }

  @Test func aSearchThatFailsIsTold() throws {
    let avahi = try running()
    avahi.refusals["ServiceBrowserNew"] = "org.freedesktop.Avahi.TooManyObjectsError"
    service?.perform(.browse([device]))
    try wait { availability.count == 1 }
    #expect(availability[0]?.message.contains("No.") == true)
    service?.close()
  }

  @Test(arguments: [0, 1]) func attack4_fewForgedServicesAreAskedForAtOnce(_ more: Int) throws {
    let avahi = try running()
    service?.perform(.browse([device]))
    try wait { avahi.members.last == "ServiceBrowserNew" }
    for number in 0..<(Limits.resolvesAtOnce + Limits.resolvesWaiting + more) {
      try avahi.item("ItemNew", "s\(number)")
    }
    try settle(avahi)
    #expect(avahi.resolving.map(\.name) == (0..<Limits.resolvesAtOnce).map { "s\($0)" })
    // The next one is the oldest of those that wait; past the bound the oldest is forgotten.
    avahi.resolve("10.0.0.2")
    try wait { avahi.resolving.last?.name == "s\(Limits.resolvesAtOnce + more)" }
    #expect(avahi.resolving.count == Limits.resolvesAtOnce)
    service?.close()
  }
}
