import SegueCore
import Testing

@testable import SegueLink

/// When which address of a device is dialled.
@Suite struct DialPlanTests {
  @Test func attack5_dialsAreFewAndEverLessOften() {
    let addresses = (1...3).map { LinkAddress(host: "h\($0)", port: 1) }
    var plan = DialPlan(addresses: [addresses[0]], settings: LinkSettings(), now: 0)
    #expect(plan.due(0, underway: 0, chance: 0) == [addresses[0]])
    #expect(plan.due(500, underway: 1, chance: 0).isEmpty)
    #expect(plan.due(1000, underway: 1, chance: 1) == [addresses[0]])
    #expect(plan.wake == 1900)
    #expect(plan.due(1900, underway: 2, chance: 0).isEmpty)
    // Each second for a minute, then ever less often.
    var times: [UInt64] = []
    while let wake = plan.wake, wake < 300_000 {
      _ = plan.due(wake, underway: 0, chance: 0)
      times.append(wake)
    }
    #expect(times.filter { $0 < 60_000 }.count == 58)
    #expect(zip(times, times.dropFirst()).map { $1 - $0 }.max() == 30_000)
    plan.restart(300_000)
    #expect(plan.due(300_000, underway: 0, chance: 0).count == 1)
    #expect(plan.wake == 301_000)
    // Addresses in turn, two at once.
    plan.replace(addresses, now: 400_000)
    #expect(plan.due(400_000, underway: 0, chance: 0) == [addresses[0], addresses[1]])
    #expect(plan.due(401_000, underway: 1, chance: 0) == [addresses[2]])
    #expect(DialPlan(addresses: [], settings: LinkSettings(), now: 0).wake == nil)
  }

  /// A device that accepts each link and leaves it is dialled no more often than an absent one.
  @Test func attack5_aShortLinkIsAsADialThatFailed() {
    var plan = DialPlan(addresses: [LinkAddress(host: "h", port: 1)], settings: LinkSettings(), now: 0)
    _ = plan.due(0, underway: 0, chance: 0)
    _ = plan.hasFailed(underway: 0)
    plan.lost(since: 100, now: 100 + Limits.lastingTime - 1)
    #expect(plan.wake == 1_000)
    #expect(plan.due(59_000, underway: 0, chance: 0).count == 1)
    plan.lost(since: 59_100, now: 59_100)
    #expect(plan.due(59_100, underway: 0, chance: 0).isEmpty)
    // That it has failed again is told again.
    #expect(plan.due(60_000, underway: 0, chance: 0).count == 1)
    #expect(plan.hasFailed(underway: 0) == true)
    #expect(plan.wake == 62_000)
    plan.lost(since: 60_500, now: 60_500 + Limits.lastingTime)
    #expect(plan.wake == 60_500 + Limits.lastingTime)
  }

  /// It announces itself, is found and linked with, and leaves.
  @Test func attack5_whoLeavesEachLinkIsSoughtEverLessOften() {
    var plan = DialPlan(addresses: [], settings: LinkSettings(), now: 0)
    var probes: [UInt64] = []
    for now in stride(from: UInt64(0), to: 200_000, by: 10) where plan.isSought(now) {
      probes.append(now)
      plan.lost(since: now, now: now)
    }
    #expect(probes == [0, 1, 3, 7, 15, 31, 61, 91, 121, 151, 181].map { $0 * 1_000 })
    #expect(!plan.isSought(200_000))
    plan.lost(since: 200_000, now: 200_000 + Limits.lastingTime)
    #expect(plan.isSought(200_000 + Limits.lastingTime))
    plan.lost(since: 300_000, now: 300_000)
    #expect(!plan.isSought(300_000))
    // In another network it may be another matter.
    plan.restart(300_000)
    #expect(plan.isSought(300_000))
  }

  /// It was dialled each second for ever.
  @Test func attack5_whoLeavesEachLinkHurriesNobodyByOtherAddresses() {
    var plan = DialPlan(addresses: [LinkAddress(host: "h", port: 1)], settings: LinkSettings(), now: 0)
    var dials = 0
    for now in stride(from: UInt64(0), to: 3_600_000, by: 1_000) {
      if now % Limits.learnInterval == 0 { plan.replace([LinkAddress(host: "h\(now)", port: 1)], now: now) }
      guard !plan.due(now, underway: 0, chance: 0).isEmpty else { continue }
      dials += 1
      plan.lost(since: now, now: now)
      #expect(!plan.isSought(now))
    }
    // A minute's, then one for each of the other addresses and some between.
    #expect(dials <= 60 + 2 * 120)
    // Other addresses of one whose last link lasted are dialled as eagerly as any.
    plan.lost(since: 3_600_000, now: 3_700_000)
    plan.replace([LinkAddress(host: "h", port: 2)], now: 3_700_000)
    #expect(plan.due(3_700_000, underway: 0, chance: 0).count == 1)
    #expect(plan.wake == 3_701_000)
  }

  @Test func dialTimer() {
    var timer = DialTimer()
    #expect(timer.set(for: 1000, now: 0) == 1000)
    // It rings before.
    #expect(timer.set(for: 1500, now: 10) == nil)
    #expect(timer.set(for: 500, now: 10) == 490)
    timer.rang()
    // However late it is: what was to be dialled long ago is dialled soon.
    #expect(timer.set(for: 5, now: 7) == 1)
    #expect(timer.set(for: 0, now: .max) == 1)
    #expect(timer.set(for: .max, now: 0) == .max)
    timer.rang()
    #expect(timer.set(for: 9, now: 9) == 1)
    // One that should have rung is set anew.
    #expect(timer.set(for: 20, now: 10) == 10)
  }

  @Test func dialsThatHaveFailedAreToldOnce() {
    let addresses = (1...3).map { LinkAddress(host: "h\($0)", port: 1) }
    var plan = DialPlan(addresses: addresses, settings: LinkSettings(), now: 0)
    #expect(plan.hasFailed(underway: 0) == false)
    _ = plan.due(0, underway: 0, chance: 0)
    // The third address has not had its turn.
    #expect(plan.hasFailed(underway: 0) == false)
    _ = plan.due(1_000, underway: 1, chance: 0)
    #expect(plan.hasFailed(underway: 1) == false)
    #expect(plan.hasFailed(underway: 0) == true)
    #expect(plan.hasFailed(underway: 0) == false)
    _ = plan.due(2_000, underway: 0, chance: 0)
    #expect(plan.hasFailed(underway: 0) == false)
    plan.restart(3_000)
    #expect(plan.hasFailed(underway: 0) == false)
    plan.replace([addresses[0]], now: 4_000)
    _ = plan.due(4_000, underway: 0, chance: 0)
    #expect(plan.hasFailed(underway: 0) == true)
    var none = DialPlan(addresses: [], settings: LinkSettings(), now: 0)
    #expect(none.hasFailed(underway: 0) == true)
  }
}
