import SegueCore
import Testing

@testable import SegueEngine

/// Introductions of a third device: which devices are told of which, and what becomes of introductions
/// (docs/pairing.md).
@Suite struct IntroductionsTests {
  private static let stranger = DeviceID.number(9)

  private func address(_ text: String) throws -> LinkAddress { try #require(LinkAddress(text)) }

  private func trial() throws -> Trial {
    var trial = Trial()
    try trial.pairTwo()
    trial.handle(.addresses([try address("10.0.0.1:4711")], machine: []))
    return trial
  }

  @discardableResult
  private func introduce(
    _ device: DeviceID, by introducer: DeviceID = Trial.other, name: String = "phone", at texts: [String] = [],
    _ trial: inout Trial
  ) throws -> [Effect] {
    let introduction = Introduction(device: device, name: name, addresses: try texts.map { try address($0) })
    return trial.handle(.link(.message(introducer, .introduce(introduction))))
  }

  private func pending(_ trial: Trial) -> [DeviceID] {
    trial.engine.pendingIntroductions.map { $0.introduction.device }
  }

  private func call(_ call: Event.IntroductionCall, _ trial: inout Trial) -> [Effect] {
    trial.handle(.control(7, .introduction(call)))
  }

  // MARK: Introducing

  @Test func bothAreToldOfEachOther() throws {
    var trial = try trial()
    trial.handle(
      .link(.message(Trial.other, .addresses([try address("10.0.0.2:4721"), try address("[fd00::2]:4721")]))))
    trial.handle(.link(.reached(Trial.third, try address("[fe80::3%eth0]:4721"))))
    let effects = call(.introduce(Trial.other, to: nil), &trial)
    #expect(effects.introductions[Trial.third]?.device == Trial.other)
    #expect(effects.introductions[Trial.third]?.name == "desk")
    #expect(
      effects.introductions[Trial.third]?.addresses.map { $0.description } == ["10.0.0.2:4721", "[fd00::2]:4721"])
    // An address with a scope means another place there.
    #expect(effects.introductions[Trial.other] == Introduction(device: Trial.third, name: "tower", addresses: []))
    #expect(effects.failure == nil)
    #expect(call(.introduce(Trial.third, to: Trial.other), &trial).introductions.count == 2)
  }

  @Test func onlyWhoIsThereCanBeIntroduced() throws {
    var trial = try trial()
    #expect(call(.introduce(Self.stranger, to: nil), &trial).failure == .notFound)
    #expect(call(.introduce(Trial.other, to: Self.stranger), &trial).failure == .notFound)
    #expect(call(.introduce(Trial.other, to: Trial.other), &trial).failure == .invalidArgument)
    trial.handle(.link(.down(Trial.third)))
    for call in [Event.IntroductionCall.introduce(Trial.third, to: nil), .introduce(Trial.other, to: Trial.third)] {
      let effects = self.call(call, &trial)
      #expect(effects.failure == .connectionUnavailable && effects.introductions.isEmpty)
    }
    #expect(call(.introduce(Trial.other, to: nil), &trial).failure == .notFound)
  }

  // MARK: Being introduced

  @Test func nothingIsPinnedThatTheUserHasNotConfirmed() throws {
    var trial = try trial()
    let name = "phone\u{7}\u{202e}"
    let told = try introduce(Self.stranger, name: name, at: ["10.0.0.9:4721", "10.0.0.1:4711"], &trial)
    #expect(told.pinned == nil && told.isSignalled)
    #expect(pending(trial) == [Self.stranger])
    #expect(trial.engine.pendingIntroductions[0].introducerName == "desk")
    #expect(call(.accept(DeviceID.number(8)), &trial).failure == .notFound)
    let accepted = call(.accept(Self.stranger), &trial)
    let pin = try #require(accepted.pinned)
    #expect(pin.device == Self.stranger && pin.introducer == Trial.other)
    #expect(pin.name == DisplayText.clean(name) && !pin.name.contains("\u{7}") && pin.name.contains("phone"))
    // The addresses at which this device would reach itself are left out.
    #expect(pin.addresses.map { $0.description } == ["10.0.0.9:4721"])
    // The introduction stays until it is written down, which may fail.
    #expect(pending(trial) == [Self.stranger] && accepted.failure == nil)
    trial.handle(
      .paired([Trial.other, Trial.third, Self.stranger].map { Event.PairedName(device: $0, name: "") }))
    #expect(pending(trial) == [])
    #expect(call(.accept(Self.stranger), &trial).failure == .notFound)
  }

  @Test func whoIsDeclinedIsForgotten() throws {
    var trial = try trial()
    try introduce(Self.stranger, &trial)
    try introduce(Self.stranger, by: Trial.third, &trial)
    let declined = call(.decline(Self.stranger), &trial)
    #expect(declined.pinned == nil && declined.failure == nil && pending(trial) == [])
    #expect(call(.decline(Self.stranger), &trial).failure == .notFound)
    // The device may be introduced again.
    try introduce(Self.stranger, &trial)
    #expect(pending(trial) == [Self.stranger])
  }

  @Test func aNotificationAsksAndIsAnswered() throws {
    var trial = try trial()
    let key = Notices.Key.introduction(Self.stranger)
    #expect(try introduce(Self.stranger, &trial).shown == [key])
    // A second introducer of the same device causes no second notification.
    #expect(try introduce(Self.stranger, by: Trial.third, &trial).shown == [])
    // No other action of the notification pairs.
    let nothing = trial.handle(.notice(.invoked(key, .continue, activationToken: nil)))
    #expect(nothing.pinned == nil && pending(trial).count == 2)
    let accepted = trial.handle(.notice(.invoked(key, .accept, activationToken: nil)))
    let pin = try #require(accepted.pinned)
    #expect(pin.device == Self.stranger && pin.introducer == Trial.other && accepted.closed == [key])
    let full = SegueError(.system, "The disk is full.")
    #expect(trial.handle(.notPinned(pin, full)).shown == [.introductionFailure(Self.stranger)])
    // The user declines later.
    trial.handle(.notice(.invoked(key, .decline, activationToken: nil)))
    #expect(pending(trial) == [])
  }

  /// An introducer that has used its turns up introduces a device, and again before that is forgotten.
  @Test func attack34_anIntroducerDoesNotKeepAnotherOnesWordAway() throws {
    var trial = try trial()
    let key = Notices.Key.introduction(Self.stranger)
    for number in 0..<Limits.noticesPerMinute {
      let other = DeviceID.number(UInt8(20 + number))
      #expect(try introduce(other, &trial).shown == [.introduction(other)])
    }
    #expect(try introduce(Self.stranger, name: "bank", &trial).shown == [])
    #expect(try introduce(Self.stranger, by: Trial.third, at: ["10.0.0.9:4721"], &trial).shown == [key])
    #expect(try introduce(Self.stranger, name: "bank", &trial).shown == [])
    // The introduction that was shown is accepted, with the name and the addresses that this introducer has sent.
    let accepted = trial.handle(.notice(.invoked(key, .accept, activationToken: nil)))
    let pin = try #require(accepted.pinned)
    #expect(pin.introducer == Trial.third && pin.name == "phone" && pin.addresses.count == 1)
  }

  @Test func aNotificationGoesWithWhatItAsks() throws {
    let ends: [(inout Trial) throws -> [Effect]] = [
      { self.call(.decline(Self.stranger), &$0) },
      { $0.wait(Limits.introductionTime) },
      { $0.handle(.paired([Event.PairedName(device: Trial.third, name: "")])) },
      {
        $0.handle(.paired([Trial.other, Self.stranger].map { Event.PairedName(device: $0, name: "") }))
      },
    ]
    for end in ends {
      var trial = try trial()
      try introduce(Self.stranger, &trial)
      #expect(try end(&trial).closed == [.introduction(Self.stranger)])
    }
  }

  @Test func attack14_whoIsPairedOrThisDeviceIsNotIntroduced() throws {
    var trial = try trial()
    for device in [Trial.third, Trial.own, Trial.other] {
      let told = try introduce(device, name: "mallory", at: ["10.0.0.66:4721"], &trial)
      #expect(pending(trial) == [] && told.pinned == nil && !told.isSignalled)
    }
    #expect(trial.engine.pairedDevices.map { $0.name } == ["desk", "tower"])
    #expect(trial.engine.contact(with: Trial.third).known.told.isEmpty)
    // The introductions of a device that is no longer paired are ignored.
    trial.handle(.paired([Event.PairedName(device: Trial.third, name: "")]))
    try introduce(Self.stranger, &trial)
    #expect(pending(trial) == [])
  }

  @Test func attack14_theWordOfWhoWasRemovedCountsNoMore() throws {
    var trial = try trial()
    try introduce(Self.stranger, &trial)
    try introduce(DeviceID.number(10), by: Trial.third, &trial)
    trial.handle(.paired([Event.PairedName(device: Trial.third, name: "")]))
    #expect(pending(trial) == [DeviceID.number(10)])
    #expect(call(.accept(Self.stranger), &trial).failure == .notFound)
  }

  @Test func oneIsForgottenAfterItsTime() throws {
    var trial = try trial()
    try introduce(Self.stranger, &trial)
    _ = trial.wait(Limits.introductionTime / 2)
    // A repeated introduction is no news, and its time begins anew.
    _ = trial.wait(1_000)
    #expect(try !introduce(Self.stranger, &trial).isSignalled)
    _ = trial.wait(Limits.introductionTime - 1)
    #expect(pending(trial) == [Self.stranger])
    #expect(trial.wait(1).isSignalled && pending(trial) == [])
  }

  @Test func aThousandAreAsManyAsMayBe() throws {
    var trial = try trial()
    try introduce(Self.stranger, by: Trial.third, &trial)
    var signals = 0
    for number in 0..<1_000 {
      let hash = [UInt8(number >> 8), UInt8(number & 255)] + [UInt8](repeating: 7, count: 30)
      let device = DeviceID(hash: hash, check: [0, 0, 0, 0])
      signals += try introduce(device, &trial).isSignalled ? 1 : 0
    }
    // The other introducer's introduction is still there, and user interfaces were not disturbed too often.
    #expect(pending(trial).count == Limits.introductionsPerDevice + 1 && pending(trial).first == Self.stranger)
    #expect(signals <= Int(Limits.announceBurst))
  }

  @Test func whoHasTheMostGivesWay() throws {
    var introductions = Introductions()
    for introducer in 0..<4 {
      for number in 0..<(introducer == 0 ? Limits.introductionsPerDevice : 16) {
        let device = DeviceID.number(UInt8(introducer * 50 + number))
        let introduction = Introduction(device: device, name: "", addresses: [])
        _ = introductions.heard(introduction, from: DeviceID.number(UInt8(240 + introducer)), at: 1_000)
      }
    }
    #expect(introductions.pending.count == Limits.introductions)
    let counts = (0..<4).map { introducer in
      introductions.pending.count { $0.introducer == DeviceID.number(UInt8(240 + introducer)) }
    }
    #expect(counts.allSatisfy { $0 == 16 }, "\(counts)")
  }
}

extension [Effect] {
  fileprivate var introductions: [DeviceID: Introduction] {
    var found: [DeviceID: Introduction] = [:]
    for case .send(.introduce(let introduction), let device) in self { found[device] = introduction }
    return found
  }
  fileprivate var pinned: PendingIntroduction? {
    for case .pin(_, let introduction) in self { return introduction }
    return nil
  }
  fileprivate var shown: [Notices.Key] { compactMap { if case .showNotice(let key, _) = $0 { key } else { nil } } }
  fileprivate var closed: [Notices.Key] { compactMap { if case .closeNotice(let key) = $0 { key } else { nil } } }
  fileprivate var failure: SegueError.Code? {
    for case .reply(7, .failed(let error)) in self { return error.code }
    return nil
  }
  fileprivate var isSignalled: Bool {
    contains { if case .signal(.introductionsChanged) = $0 { true } else { false } }
  }
}
