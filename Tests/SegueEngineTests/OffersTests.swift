import SegueCore
import SegueEngine
import Testing

@Suite struct LocalOffersTests {
  private let grace = Limits.graceTime

  private func id(_ number: UInt64) -> Identifier { Identifier(high: 0, low: number) }

  private func activity(
    _ number: UInt64, revision: UInt64 = 1, title: String? = nil, isEligible: Bool = true
  )
    -> DoorActivity
  {
    DoorActivity(
      id: id(number), revision: revision, type: .browsingWeb, title: title, webHost: nil, isEligible: isEligible)
  }

  private func snapshot(_ number: UInt64) -> Snapshot {
    Snapshot(id: id(number), revision: 1, type: .browsingWeb, userInfo: [0xa0])
  }

  /// The numbers of what is on offer, in order.
  private func offered(_ local: LocalOffers) -> [UInt64] { local.offers.map { $0.id.low } }

  @Test func C9_oneCurrentActivityPerApplication() throws {
    var local = LocalOffers()
    try local.setCurrent(activity(1), session: 1, appID: try appID(), now: 0)
    try local.setCurrent(activity(2), session: 1, appID: try appID(), now: 0)
    #expect(offered(local) == [2])
    // A second process of the application: the newest of both.
    try local.setCurrent(activity(3), session: 2, appID: try appID(), now: 0)
    #expect(offered(local) == [3])
    try local.setCurrent(activity(1), session: 1, appID: try appID(), now: 0)
    #expect(offered(local) == [1])
    // An update is no new choice of the user's.
    try local.setCurrent(activity(3, revision: 2), session: 2, appID: try appID(), now: 0)
    #expect(offered(local) == [1])
    // Another application has its own.
    try local.setCurrent(activity(4), session: 3, appID: try appID("com.example.Other"), now: 0)
    #expect(offered(local) == [4, 1])
  }

  @Test func X1_eachReasonWhyNot() throws {
    var local = LocalOffers()
    let verdict = { (local: LocalOffers, number: UInt64) in
      local.entries[id(number)].map { local.verdict(of: $0) }
    }
    try local.setCurrent(activity(1), session: 1, appID: try appID(), now: 0)
    #expect(verdict(local, 1) == .offered)
    try local.setCurrent(activity(2), session: 1, appID: try appID(), now: 0)
    #expect(verdict(local, 1) == .superseded)
    local.resign(id(2), session: 1, now: 0)
    #expect(verdict(local, 1) == .resigned && verdict(local, 2) == .resigned)
    try local.setCurrent(activity(2, isEligible: false), session: 1, appID: try appID(), now: 0)
    #expect(verdict(local, 2) == .notEligible)
    // The oldest of more than a device may offer.
    try local.setCurrent(activity(3), session: 1, appID: try appID(), now: 0)
    for number in 0..<UInt64(Limits.offersPerDevice) {
      try local.setCurrent(
        activity(100 + number), session: 100 + number, appID: try appID("com.example.App\(number)"), now: 0)
    }
    #expect(verdict(local, 3) == .tooMany && verdict(local, 100) == .offered)
  }

  @Test func C6_whatIsNotEligibleIsNotOffered() throws {
    var local = LocalOffers()
    try local.setCurrent(activity(1), session: 1, appID: try appID(), now: 0)
    try local.setCurrent(activity(1, isEligible: false), session: 1, appID: try appID(), now: 0)
    #expect(offered(local) == [])
    try local.setCurrent(activity(1, title: "a\n\u{202E}b"), session: 1, appID: try appID(), now: 0)
    #expect(local.offers.first?.title == "a b")
  }

  @Test func V13_resignInvalidateAndExitEndTheOffer() throws {
    let ends: [(inout LocalOffers) -> Void] = [
      { $0.resign(self.id(1), session: 1, now: 0) }, { $0.invalidate(self.id(1), session: 1) },
      { $0.sessionEnded(1, now: 0) },
    ]
    for end in ends {
      var local = LocalOffers()
      try local.setCurrent(activity(1), session: 1, appID: try appID(), now: 0)
      local.saved(snapshot(1), now: 0)
      end(&local)
      #expect(offered(local) == [])
    }
  }

  @Test func V14_afterResignItCanBeTakenForTheGraceTime() throws {
    var local = LocalOffers()
    try local.setCurrent(activity(1), session: 1, appID: try appID(), now: 100)
    #expect(local.expire(now: 1_000_000) == nil)
    local.resign(id(1), session: 1, now: 200)
    // Once more does not prolong it.
    local.resign(id(1), session: 1, now: 300)
    #expect(local.expire(now: Instant(milliseconds: 199) + grace) == Instant(milliseconds: 200) + grace)
    #expect(local.entries[id(1)] != nil)
    #expect(local.expire(now: 200 + grace) == nil)
    #expect(local.entries.isEmpty)
  }

  @Test func V14_currentAgainIsNoGraceAnyMore() throws {
    var local = LocalOffers()
    try local.setCurrent(activity(1), session: 1, appID: try appID(), now: 0)
    local.saved(snapshot(1), now: 0)
    local.resign(id(1), session: 1, now: 0)
    try local.setCurrent(activity(1, revision: 2), session: 1, appID: try appID(), now: 1)
    #expect(local.expire(now: 1_000_000) == nil)
    #expect(offered(local) == [1])
    #expect(local.entries[id(1)]?.snapshot == snapshot(1))
  }

  @Test func V14_afterInvalidateItCannot() throws {
    var local = LocalOffers()
    try local.setCurrent(activity(1), session: 1, appID: try appID(), now: 0)
    local.saved(snapshot(1), now: 0)
    local.resign(id(1), session: 1, now: 0)
    local.invalidate(id(1), session: 1)
    local.saved(snapshot(1), now: 0)
    #expect(local.entries.isEmpty)
  }

  @Test func V14_afterExitOnlyWithASnapshot() throws {
    var local = LocalOffers()
    try local.setCurrent(activity(1), session: 1, appID: try appID(), now: 0)
    try local.setCurrent(activity(2), session: 1, appID: try appID(), now: 1_000)
    try local.setCurrent(activity(3), session: 2, appID: try appID(), now: 0)
    local.saved(snapshot(1), now: 0)
    local.saved(snapshot(3), now: 0)
    local.sessionEnded(1, now: 2_000)
    #expect(Set(local.entries.keys) == [id(1), id(3)])
    #expect(local.entries[id(1)]?.isConnected == false)
    #expect(local.entries[id(3)]?.isConnected == true)
    // It had resigned a second before: that counts.
    #expect(local.expire(now: 2_000) == Instant(milliseconds: 1_000) + grace)
    #expect(local.expire(now: 1_000 + grace) == nil)
    #expect(local.entries[id(1)] == nil)
  }

  @Test func anotherSessionChangesNothing() throws {
    var local = LocalOffers()
    try local.setCurrent(activity(1), session: 1, appID: try appID(), now: 0)
    local.resign(id(1), session: 2, now: 0)
    local.invalidate(id(1), session: 2)
    local.setExpiry(id(1), session: 2, timeLeft: 1, now: 0)
    local.sessionEnded(2, now: 0)
    for app in ["com.example.Reader", "com.example.Other"] {
      #expect(throws: SegueError.self) { try local.setCurrent(activity(1), session: 2, appID: appID(app), now: 0) }
    }
    #expect(offered(local) == [1])
    #expect(local.entries[id(1)]?.session == 1 && local.entries[id(1)]?.deadline == nil)
  }

  @Test func whoComesBackThroughTheDoorHasItsActivityAgain() throws {
    var local = LocalOffers()
    try local.setCurrent(activity(1), session: 1, appID: try appID(), now: 0)
    local.saved(snapshot(1), now: 0)
    local.sessionEnded(1, now: 0)
    #expect(throws: SegueError.self) {
      try local.setCurrent(activity(1), session: 2, appID: appID("com.example.Other"), now: 0)
    }
    local.invalidate(id(1), session: 2, appID: try appID("com.example.Other"))
    #expect(local.entries[id(1)]?.session == 1)
    try local.setCurrent(activity(1), session: 2, appID: try appID(), now: 0)
    #expect(offered(local) == [1])
    #expect(local.entries[id(1)]?.isConnected == true)
    #expect(local.expire(now: 1_000_000) == nil)
  }

  @Test func manyActivitiesInAShortTimeLeaveTheLastOnOffer() throws {
    var local = LocalOffers()
    let many = UInt64(Limits.activitiesPerApplication) + 5
    for number in 1...many { try local.setCurrent(activity(number), session: 1, appID: try appID(), now: 0) }
    #expect(offered(local) == [many])
    #expect(local.entries.count == Limits.activitiesPerApplication)
    // The oldest went.
    #expect(local.entries[id(1)] == nil)
    #expect(local.entries[id(many - 1)] != nil)
    // Another application's do not count.
    try local.setCurrent(activity(1), session: 2, appID: try appID("com.example.Other"), now: 0)
    #expect(local.entries.count == Limits.activitiesPerApplication + 1)
  }

  @Test func C7_whatHasExpiredHereIsNotOffered() throws {
    var local = LocalOffers()
    try local.setCurrent(activity(1), session: 1, appID: try appID(), now: 1_000)
    local.setExpiry(id(1), session: 1, timeLeft: 100, now: 1_000)
    #expect(local.expire(now: 1_099) == 1_100)
    #expect(offered(local) == [1])
    #expect(local.expire(now: 1_100) == nil)
    #expect(offered(local) == [])
    #expect(local.takeExpired() == [id(1)])
  }

  @Test func aDeviceOffersNoMoreThanItsLimit() throws {
    var local = LocalOffers()
    let many = UInt64(Limits.offersPerDevice) + 3
    for number in 1...many {
      try local.setCurrent(activity(number), session: number, appID: try appID("com.example.A\(number)"), now: 0)
    }
    #expect(offered(local) == Array((4...many).reversed()))
  }
}

@Suite struct RemoteOffersTests {
  private func device(_ number: UInt8) -> DeviceID { .number(number) }

  private func offer(_ number: UInt64, title: String? = nil) throws -> Offer {
    Offer(id: Identifier(high: 0, low: number), revision: 1, type: .browsingWeb, appID: try appID(), title: title)
  }

  private func all(_ remote: RemoteOffers) -> [UInt64] { remote.all.map { $0.offer.id.low } }

  @Test func everyMessageReplacesTheFormer() throws {
    var remote = RemoteOffers()
    let one = device(1)
    #expect(remote.replace(one, sequence: 1, offers: [], now: 0) == false)
    #expect(remote.replace(one, sequence: 2, offers: [try offer(1), try offer(2)], now: 0) == true)
    #expect(remote.replace(one, sequence: 3, offers: [try offer(1), try offer(2)], now: 10) == false)
    #expect(remote.replace(one, sequence: 4, offers: [try offer(2, title: "x")], now: 20) == true)
    #expect(all(remote) == [2])
    // An offer that was listed before keeps the time of its first listing.
    #expect(remote.entry(Identifier(high: 0, low: 2))?.since == 0)
    #expect(remote.entry(Identifier(high: 0, low: 1)) == nil)
    #expect(remote.replace(one, sequence: 5, offers: [], now: 30) == true)
  }

  @Test func C7_whatHasExpiredThereIsNotListed() throws {
    var remote = RemoteOffers()
    var short = try offer(1)
    short.timeLeft = 100
    _ = remote.replace(device(1), sequence: 1, offers: [short, try offer(2)], now: 1_000)
    #expect(remote.expire(now: 1_099).changed == false)
    #expect(remote.expire(now: 1_099).next == 1_100)
    #expect(remote.expire(now: 1_100).changed == true)
    #expect(all(remote) == [2])
  }

  @Test func attack18_anOlderMessageIsDropped() throws {
    var remote = RemoteOffers()
    let one = device(1)
    _ = remote.replace(one, sequence: 7, offers: [try offer(1)], now: 0)
    for sequence in [7, 6, 0] as [UInt64] {
      #expect(remote.replace(one, sequence: sequence, offers: [], now: 0) == false)
    }
    #expect(all(remote) == [1])
    // A new link begins anew.
    #expect(remote.lose(one, now: 0) == true)
    #expect(remote.replace(one, sequence: 1, offers: [try offer(2)], now: 0) == true)
    #expect(all(remote) == [2])
  }

  @Test func V13_aDeviceThatIsLostHasNothingOnOffer() throws {
    var remote = RemoteOffers()
    let (one, two) = (device(1), device(2))
    #expect(remote.lose(one, now: 0) == false)
    _ = remote.replace(one, sequence: 1, offers: [try offer(1)], now: 0)
    _ = remote.replace(two, sequence: 1, offers: [try offer(2)], now: 5)
    #expect(all(remote) == [2, 1])
    #expect(remote.lose(two, now: 5) == true)
    #expect(all(remote) == [1])
    #expect(remote.entry(Identifier(high: 0, low: 2)) == nil)
  }

  @Test func C16_ofTwoDevicesWithOneIdTheNamedOneIsMeant() throws {
    var remote = RemoteOffers(graceTime: 100)
    let (one, two, three) = (device(1), device(2), device(3))
    let id = Identifier(high: 0, low: 1)
    for device in [one, two] { _ = remote.replace(device, sequence: 1, offers: [try offer(1)], now: 0) }
    for device in [one, two] { #expect(remote.entry(id, of: device)?.device == device) }
    #expect(remote.entry(id, of: three) == nil)
    for device in [one, two] { _ = remote.lose(device, now: 10) }
    for device in [one, two] { #expect(remote.recent(id, of: device, now: 20)?.device == device) }
    #expect(remote.recent(id, of: three, now: 20) == nil)
  }

  @Test func X9_whatALostDeviceHadCanBeChosenAsLongAsAChoiceWaits() throws {
    var remote = RemoteOffers(graceTime: 10, outageTime: 100)
    let one = device(1)
    let id = Identifier(high: 0, low: 1)
    _ = remote.replace(one, sequence: 3, offers: [try offer(1)], now: 0)
    _ = remote.lose(one, now: 10)
    #expect(remote.recent(id, now: 109)?.device == one)
    #expect(remote.recent(id, now: 110) == nil)
    // A link that comes and goes does not prolong it.
    #expect(remote.lose(one, now: 50) == false)
    #expect(remote.recent(id, now: 110) == nil)
    // It is back: its message counts whatever its number.
    #expect(remote.replace(one, sequence: 0, offers: [try offer(1)], now: 60) == true)
    #expect(remote.recent(id, now: 61) == nil)
    #expect(remote.entry(id) != nil)
    // However often it offers and is lost, so many are kept.
    for number in 1...UInt64(3 * Limits.offersPerDevice) {
      _ = remote.replace(one, sequence: number, offers: [try offer(number)], now: 70)
    }
    _ = remote.lose(one, now: 70)
    let kept = (1...UInt64(3 * Limits.offersPerDevice)).filter {
      remote.recent(Identifier(high: 0, low: $0), now: 71) != nil
    }
    #expect(kept.count == Limits.offersPerDevice && kept.last == UInt64(3 * Limits.offersPerDevice))
    // Not of a device that is no longer paired (V14).
    remote.forget(one)
    #expect(remote.recent(Identifier(high: 0, low: kept.last ?? 0), now: 71) == nil)
  }

  @Test func X9_whatWasOnOfferWhenItsDeviceWasLostIsKnownUntilItIsBack() throws {
    var remote = RemoteOffers(graceTime: 10, outageTime: 100)
    let (one, two) = (device(1), device(2))
    let ids = (0...4).map { Identifier(high: 0, low: $0) }
    _ = remote.replace(two, sequence: 1, offers: [try offer(4)], now: 0)
    _ = remote.replace(one, sequence: 1, offers: [try offer(1), try offer(2)], now: 0)
    // The first was withdrawn: that it was there does not matter any more.
    _ = remote.replace(one, sequence: 2, offers: [try offer(2), try offer(3)], now: 10)
    #expect(remote.lostOrigin(of: ids[2]) == nil)
    _ = remote.lose(one, now: 15)
    #expect(remote.recent(ids[1], now: 19) != nil && remote.recent(ids[1], now: 20) == nil)
    #expect(ids.map { remote.lostOrigin(of: $0) } == [nil, nil, one, one, nil])
    #expect(remote.recent(ids[2], now: 1_000) == nil)
    // A new link that has not said anything yet.
    _ = remote.lose(one, now: 1_000)
    #expect(remote.lostOrigin(of: ids[2]) == one && remote.recent(ids[1], now: 1_000) == nil)
    _ = remote.replace(one, sequence: 1, offers: [try offer(2)], now: 1_001)
    #expect(ids.allSatisfy { remote.lostOrigin(of: $0) == nil })
    #expect(remote.recent(ids[3], now: 1_001) == nil)
    // An offer that has expired meanwhile is over (C7).
    var last = try offer(3)
    last.timeLeft = 50
    _ = remote.replace(one, sequence: 2, offers: [last], now: 2_000)
    _ = remote.lose(one, now: 2_001)
    _ = remote.expire(now: 2_050)
    #expect(remote.lostOrigin(of: ids[3]) == nil)
    remote.forget(two)
    #expect(remote.lostOrigin(of: ids[4]) == nil)
  }
}
