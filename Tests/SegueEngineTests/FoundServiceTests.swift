import SegueCore
import Testing

@testable import SegueEngine

/// How an engine handles the services that it finds, which any machine may have announced.
@Suite struct FoundServiceTests {
  private func trial() throws -> DiscoveryTrial {
    var desk = try DiscoveryTrial()
    desk.begin()
    return desk
  }

  @Test func whoMayBeAPairedDeviceIsDialled() throws {
    var desk = try trial()
    desk.find("other", "192.0.2.9")
    #expect(
      desk.effects == [.probe(1, LinkAddress(host: "192.0.2.9", port: 4000), nonce: Array(repeating: 7, count: 16))])
    desk.find("other", "fe80::9")
    #expect(desk.effects.probed == ["[fe80::9%eth0]:4000"])
  }

  @Test func nobodyIsDialledWhileAllAreLinked() throws {
    var desk = try trial()
    desk.handle(.link(.up(desk.lap, name: "lap")))
    #expect(desk.effects.browsed == [])
    desk.find("other", "192.0.2.9")
    #expect(desk.effects == [])
    desk.handle(.link(.down(desk.lap)))
    #expect(desk.effects.browsed == [.device])
    desk.find("other", "192.0.2.9")
    #expect(desk.effects.probes.count == 1)
  }

  @Test func attack5_onlyAMachineOfTheSameNetworkIsDialled() throws {
    var desk = try trial()
    for address in [
      "198.51.100.9", "192.0.2.1", "127.0.0.1", "224.0.0.251", "0.0.0.0", "255.255.255.255", "::1", "ff02::fb",
      "2001:db8::9", "fe80::1", "::ffff:192.0.2.9", "192.0.2.9%eth0", "desk.local", "",
    ] {
      desk.find("other", address)
      #expect(desk.effects == [], "\(address)")
    }
    desk.find("other", "192.0.2.9", port: UInt16(Limits.lowestPort) - 1)
    #expect(desk.effects == [])
    desk.find("other", "192.0.2.9", on: 3)
    #expect(desk.effects == [])
    desk.find("other", "192.0.2.9", port: UInt16(Limits.lowestPort))
    #expect(desk.effects.probes.count == 1)
  }

  @Test func itsOwnServiceIsNotDialled() throws {
    var desk = try DiscoveryTrial()
    let name = try #require(desk.begin().announced?.first?.name)
    desk.find(name, "192.0.2.9")
    #expect(desk.effects == [])
  }

  @Test func attack6_whatIsFoundSaysNothingOfAPairedDevice() throws {
    var desk = try trial()
    let before = desk.engine.pairedDevices.map { "\($0)" }
    desk.find("lap", "192.0.2.9")
    desk.end(desk.effects.probes.first)
    #expect(desk.engine.pairedDevices.map { "\($0)" } == before)
  }

  @Test func attack4_madeUpServicesAreBoundedAndHideNoDevice() throws {
    var desk = try trial()
    desk.find("lap", "192.0.2.9")
    desk.end(desk.effects.probes.first, with: desk.lap)
    // Two of the forged services keep their dials.
    for number in 0..<100_000 { desk.find("forged\(number)", "192.0.2.\(10 + number % 200)") }
    desk.now += Limits.probeTime
    desk.end(2)
    // Among all services that wait, the known device's is dialled first.
    #expect(desk.effects.probed == ["192.0.2.9:4000"])
    #expect(desk.engine.discovery.foundCount == Limits.foundServices)
  }

  @Test(arguments: [0, 1]) func attack5_oneMachineIsNotDialledForManyNames(_ more: Int) throws {
    var desk = try trial()
    for number in 0..<Limits.foundPerAddress + more {
      desk.find("name\(number)", "192.0.2.9", port: UInt16(4000 + number))
    }
    #expect(desk.engine.discovery.foundCount == Limits.foundPerAddress)
    desk.find("another", "192.0.2.10")
    #expect(desk.engine.discovery.foundCount == Limits.foundPerAddress + 1)
    // A service that claims to have moved there counts as well.
    desk.find("another", "192.0.2.9")
    #expect(desk.engine.discovery.foundCount == Limits.foundPerAddress)
  }

  @Test func twoAreDialledAtOnce() throws {
    var desk = try trial()
    desk.find("one", "192.0.2.11")
    desk.find("two", "192.0.2.12")
    #expect(desk.effects.probes == [Limits.probesAtOnce].map { UInt64($0) })
    desk.find("three", "192.0.2.13")
    #expect(desk.effects == [])
    desk.end(1)
    #expect(desk.effects.probed == ["192.0.2.13:4000"])
  }

  @Test func attack5_whoIsNobodysIsDialledEverLessOften() throws {
    var desk = try trial()
    desk.find("other", "192.0.2.9")
    var time = Limits.probeTime
    for _ in 1...12 {
      let probe = try #require(desk.effects.probes.first)
      desk.end(probe)
      desk.pass(time - 1)
      #expect(desk.effects.probes == [])
      desk.pass(1)
      time = min(time * 2, Limits.probeTimeMaximum)
    }
    #expect(time == Limits.probeTimeMaximum && desk.effects.probes.count == 1)
  }

  @Test func whenADeviceIsLostAllAreDialledSoon() throws {
    var desk = try trial()
    desk.find("other", "192.0.2.9")
    for _ in 1...6 {
      desk.end(desk.effects.probes.first)
      desk.pass(60_000)
    }
    desk.end(desk.effects.probes.first)
    desk.handle(.link(.down(desk.lap)))
    desk.pass(Limits.probeTime)
    #expect(desk.effects.probes.count == 1)
  }

  @Test func aServiceThatIsGoneIsNotDialled() throws {
    var desk = try trial()
    desk.find("other", "192.0.2.9")
    desk.end(desk.effects.probes.first)
    desk.handle(.discovery(.gone(.init(kind: .device, interface: 2, isIPv6: false, name: "other"))))
    desk.pass(Limits.probeTimeMaximum)
    #expect(desk.effects == [])
  }

  @Test(arguments: [
    ["v=1", "n=aaaaaaaaaaaaaaaaaaaaaaaaaa"], ["V=1", "N=AAAAAAAAAAAAAAAAAAAAAAAAAA", "x=y", "z", ""],
  ])
  func aRecordIsRead(_ strings: [String]) {
    #expect(ServiceText(strings.map { Array($0.utf8) })?.nonce == Array(repeating: 0, count: 16))
  }

  @Test(arguments: [
    [], ["v=2", "n=aaaaaaaaaaaaaaaaaaaaaaaaaa"], ["n=aaaaaaaaaaaaaaaaaaaaaaaaaa"], ["v=1", "v=1"], ["v=1", "n=a"],
    ["v=1", "n=aaaaaaaaaaaaaaaaaaaaaaaaaaaa"], ["v=1", "n=00000000000000000000000000"], ["v"],
  ])
  func attack4_aRecordThatIsNoneIsRefused(_ strings: [String]) {
    #expect(ServiceText(strings.map { Array($0.utf8) }) == nil)
    #expect(ServiceText([[0xff, 0x3d, 0x31]]) == nil)
  }

  @Test func aLongRecordIsReadToItsBound() {
    for extra in 0...1 {
      let filling = (1..<Limits.serviceTextStrings + extra).map { Array("k\($0)=".utf8) }
      #expect((ServiceText(filling + [Array("v=1".utf8)]) != nil) == (extra == 0))
    }
  }
}
