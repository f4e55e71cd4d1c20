import SegueCore
import Testing

@testable import SegueEngine

/// The addresses of devices: those that this one sends (network.md D3), and those that it accepts.
@Suite struct AddressesTests {
  private func list(_ texts: [String]) throws -> [LinkAddress] { try texts.map { try #require(LinkAddress($0)) } }

  private func told(_ own: [String]) throws -> [String] {
    var addresses = Addresses()
    _ = addresses.replace(try list(own))
    return addresses.told.map { $0.description }
  }

  private func taken(_ texts: [String], own: [String] = ["10.0.0.1:4711"]) throws -> [String] {
    Addresses.taken(try list(texts), own: try list(own)).map { $0.description }
  }

  @discardableResult
  private func hear(_ texts: [String], _ trial: inout Trial, _ device: DeviceID = Trial.other) throws -> [Effect] {
    trial.handle(.link(.message(device, .addresses(try list(texts)))))
  }

  private func trial() throws -> Trial {
    var trial = Trial()
    try trial.pairTwo()
    trial.handle(.addresses(try list(["10.0.0.1:4711"]), machine: []))
    return trial
  }

  @Test func D3_othersAreToldWhatMeansTheSameToThem() throws {
    #expect(
      try told(["127.0.0.1:1", "10.0.0.1:1", "[fd00::1]:1", "100.64.0.1:1", "[fe80::1%eth0]:1", "desk:1"])
        == ["10.0.0.1:1", "[fd00::1]:1", "100.64.0.1:1"])
    #expect(try told(["127.0.0.1:1"]) == ["127.0.0.1:1"])
    #expect(try told([]) == [])
    #expect(try told((1...9).map { "10.0.0.\($0):1" }).count == Limits.deviceAddresses)
  }

  @Test func D3_theyAreToldWhenTheLinkComesUpAndWhenItChanges() throws {
    var trial = try trial()
    #expect(trial.handle(.addresses(try list(["10.0.0.1:4711"]), machine: [])).toldAddresses.isEmpty)
    let moved = trial.handle(.addresses(try list(["10.0.0.2:4711"]), machine: []))
    #expect(moved.toldAddresses == [Trial.other: ["10.0.0.2:4711"], Trial.third: ["10.0.0.2:4711"]])
    // Without any network there is nothing to send, and the last list stays valid.
    #expect(trial.handle(.addresses([], machine: [])).toldAddresses.isEmpty)
    #expect(trial.handle(.link(.up(Trial.other, name: "Desk"))).toldAddresses.isEmpty)
    trial.handle(.addresses(try list(["10.0.0.3:4711"]), machine: []))
    trial.handle(.link(.down(Trial.other)))
    #expect(
      trial.handle(.addresses(try list(["10.0.0.4:4711"]), machine: [])).toldAddresses.keys.sorted() == [Trial.third])
    #expect(
      trial.handle(.link(.up(Trial.other, name: "Desk"))).toldAddresses == [Trial.other: ["10.0.0.4:4711"]])
    // A device that is not paired is not sent the addresses.
    trial.handle(.paired([Event.PairedName(device: Trial.third, name: "")]))
    #expect(trial.handle(.link(.up(Trial.other, name: "Desk"))).toldAddresses.isEmpty)
  }

  /// The others are dialled even if there is no new list to send: this device may listen on one of its addresses only.
  @Test func D1_othersAreDialledAnewWhenTheMachineHasOtherAddresses() throws {
    var trial = try trial()
    let own = try list(["10.0.0.1:4711"])
    let (lan, docking) = (try #require(IPAddress("10.0.0.1")), try #require(IPAddress("192.0.2.1")))
    var other = Trial()
    // The addresses that a daemon starts with have just been dialled.
    #expect(other.handle(.addresses(own, machine: [lan])).redials == 0)
    #expect(trial.handle(.addresses(own, machine: [lan])).redials == 1)
    #expect(trial.handle(.addresses(own, machine: [lan])).redials == 0)
    let docked = trial.handle(.addresses(own, machine: [docking, lan]))
    #expect(docked.redials == 1 && docked.toldAddresses.isEmpty)
    // The order in which the kernel lists the addresses does not matter.
    #expect(trial.handle(.addresses(own, machine: [lan, docking])).redials == 0)
    #expect(trial.handle(.addresses(own, machine: [])).redials == 1)
    #expect(trial.handle(.woke).redials == 1)
  }

  @Test func whatIsToldIsRemembered() throws {
    var trial = try trial()
    #expect(try hear(["10.0.0.7:4721", "[fd00::7]:4721"], &trial).learned == [["10.0.0.7:4721", "[fd00::7]:4721"]])
    #expect(try hear(["10.0.0.7:4721", "[fd00::7]:4721"], &trial).learned.isEmpty)
    let reached = trial.handle(.link(.reached(Trial.other, try #require(LinkAddress("10.0.0.7:4721")))))
    guard case .learn(Trial.other, let contact)? = reached.first, contact.reached == LinkAddress("10.0.0.7:4721") else {
      throw Failure(reached)
    }
    // The addresses of a device that is no longer paired are not learned.
    trial.handle(.paired([Event.PairedName(device: Trial.third, name: "")]))
    #expect(try hear(["10.0.0.8:4721"], &trial).learned.isEmpty)
    #expect(trial.handle(.link(.reached(Trial.other, try #require(LinkAddress("10.0.0.7:4721"))))).learned.isEmpty)
  }

  @Test func attack5_aPairedDeviceNamesWhatIsNotItsOwn() throws {
    for bad in [
      "10.0.0.1:4711", "0.0.0.0:4721", "224.0.0.251:5353", "255.255.255.255:4721", "127.0.0.1:631", "10.0.0.7:0",
      "desk:4721",
      "[::]:4721", "[ff02::1]:4721", "[fe80::1]:4721", "[fe80::1%eth0]:4721", "[::1]:4721", "[::ffff:a00:1]:4711",
      "10.0.0.7:22", "10.0.0.7:1023", "localhost:4711", "10.0.0.7.example:4711",
    ] {
      #expect(try taken([bad, "10.0.0.7:4721"]) == ["10.0.0.7:4721"], "\(bad)")
    }
    // This machine's address with another port belongs to another program, or to another user.
    #expect(try taken(["10.0.0.1:4712"]) == ["10.0.0.1:4712"])
    #expect(
      try taken(["[2001:db8::1]:4721", "[2001:DB8:0::1]:4721", "10.0.0.7:4721", "10.0.0.7:4721"])
        == ["[2001:db8::1]:4721", "10.0.0.7:4721"])
    #expect(try taken(["127.0.0.1:4721", "[::1]:4721"], own: ["127.0.0.1:4722"]) == ["127.0.0.1:4721", "[::1]:4721"])
    #expect(try taken(["127.0.0.1:4721"], own: ["127.0.0.1:4722", "10.0.0.1:4722"]) == [])
    #expect(try taken(["127.0.0.1:4721"], own: []) == [])
    var trial = try trial()
    #expect(try hear(["127.0.0.1:631"], &trial).learned.isEmpty)
  }

  @Test func D4_whoHasReachedWhomIsRemembered() throws {
    var trial = try trial()
    let came = trial.handle(.link(.reachedBy(Trial.other))).contacts
    #expect(came.map { $0.reachedUs } == [trial.moment.seconds] && came.map { $0.reached } == [nil])
    #expect(trial.engine.contact(with: Trial.other).known.reachedUs == trial.moment.seconds)
    // The time is not written down with each dial.
    for _ in 1...10 {
      #expect(trial.wait(1_000).contacts.isEmpty)
      #expect(trial.handle(.link(.reachedBy(Trial.other))).contacts.isEmpty)
    }
    let last = trial.engine.contact(with: Trial.other).known.reachedUs
    #expect(trial.wait(Limits.learnInterval).contacts.compactMap { $0.reachedUs } == [last])
    #expect(trial.wait(Limits.learnInterval * 10).contacts.isEmpty)
    // The dials of a device that is no longer paired are not recorded.
    trial.handle(.paired([Event.PairedName(device: Trial.third, name: "")]))
    #expect(trial.handle(.link(.reachedBy(Trial.other))).contacts.isEmpty)
    #expect(trial.engine.contact(with: Trial.other).known == Contact())
  }

  @Test func D4_whenADeviceWasSeenIsWrittenNowAndThen() throws {
    var trial = try trial()
    _ = trial.wait(Limits.learnInterval)
    for _ in 1...10 {
      #expect(trial.handle(.link(.down(Trial.other))).contacts.isEmpty)
      #expect(trial.handle(.link(.up(Trial.other, name: "Desk"))).contacts.isEmpty)
    }
    #expect(trial.wait(Limits.learnInterval - 1).contacts.isEmpty)
    #expect(trial.wait(1).contacts.count == 1)
    #expect(trial.handle(.link(.down(Trial.third))).contacts.isEmpty)
    trial.handle(.paired([Event.PairedName(device: Trial.other, name: "")]))
    #expect(trial.wait(Limits.learnInterval).contacts.isEmpty)
  }

  @Test func attack5_whoTellsEverOtherAddressesDoesNotWearTheDiskOut() throws {
    var trial = try trial()
    var count = 0
    for port in 5001...5100 { count += try hear(["10.0.0.7:\(port)"], &trial).learned.count }
    // One write of the burst was the device's name.
    #expect(count == Int(Limits.learnBurst) - 1)
    // Another device's addresses are written all the same.
    #expect(try hear(["10.0.0.8:4721"], &trial, Trial.third).learned.count == 1)
    #expect(trial.wait(Limits.learnInterval - 1).learned.isEmpty)
    #expect(trial.wait(1).learned == [["10.0.0.7:5100"]])
    // The device returns to the addresses that are on disk before the time: no write is needed, but later changes are
    // written.
    trial.now = trial.now + Limits.learnInterval * 10
    for port in 6001...6000 + Int(Limits.learnBurst) { try hear(["10.0.0.7:\(port)"], &trial) }
    #expect(try hear(["10.0.0.7:6009"], &trial).learned.isEmpty)
    try hear(["10.0.0.7:\(6000 + Limits.learnBurst)"], &trial)
    #expect(trial.wait(Limits.learnInterval).learned.isEmpty)
    try hear(["10.0.0.7:6009"], &trial)
    #expect(trial.wait(Limits.learnInterval).learned == [["10.0.0.7:6009"]])
  }
}

extension [Effect] {
  fileprivate var toldAddresses: [DeviceID: [String]] {
    var told: [DeviceID: [String]] = [:]
    for case .send(.addresses(let list), let device) in self { told[device] = list.map { $0.description } }
    return told
  }

  fileprivate var redials: Int { count { if case .redial = $0 { true } else { false } } }

  fileprivate var learned: [[String]] {
    contacts.map { $0.told.map { $0.description } }
  }

  fileprivate var contacts: [Contact] { compactMap { if case .learn(_, let contact) = $0 { contact } else { nil } } }
}
