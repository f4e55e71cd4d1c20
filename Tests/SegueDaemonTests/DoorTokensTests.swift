import SegueCore
import SegueEngine
import Testing

@testable import SegueDaemon

@Suite struct DoorTokensTests {
  private let end: Instant = 30_000

  private func holder(_ process: Int32, _ group: String = "a") -> DoorSlots.Holder {
    DoorSlots.Holder(process: process, group: group)
  }

  @Test func aTokenIsGoodOnceForItsTime() {
    var tokens = DoorTokens()
    let one = tokens.make(now: 0, for: holder(1))
    let two = tokens.make(now: 0, for: holder(1))
    #expect(one != two)
    #expect(Identifier(hex: one) != nil)
    #expect(tokens.use(one, now: 29_999) == true)
    #expect(tokens.use(one, now: 29_999) == false)
    #expect(tokens.use(two, now: end) == false)
    for wrong in ["", "x", Identifier.random().hex, two.uppercased()] { #expect(tokens.use(wrong, now: 0) == false) }
  }

  @Test func whoAsksForManyMakesItsOwnOldestVoid() {
    var tokens = DoorTokens()
    let made = (0...Limits.doorConnectionsPerProcess).map { _ in tokens.make(now: 0, for: holder(1)) }
    #expect(tokens.use(made[0], now: 1_000) == false)
    for token in made.dropFirst() { #expect(tokens.use(token, now: 1_000) == true) }
  }

  /// By process, whatever names it has on the bus.
  @Test func whoAsksForManyMakesNobodyElsesVoid() {
    var tokens = DoorTokens()
    let same = tokens.make(now: 0, for: holder(1))
    let other = tokens.make(now: 0, for: holder(2, "b"))
    for process in Int32(10)..<18 {
      for _ in 0..<Limits.doorConnectionsPerProcess { _ = tokens.make(now: 1, for: holder(process)) }
    }
    for group in 0..<20 {
      for process in Int32(0)..<8 {
        _ = tokens.make(now: 1, for: holder(1000 + Int32(group) * 8 + process, "\(group)"))
      }
    }
    #expect(tokens.use(same, now: 1_000) == true)
    #expect(tokens.use(other, now: 1_000) == true)
  }

  @Test func noMoreThanThereAreSeats() {
    var tokens = DoorTokens()
    let made = (0...Int32(Limits.doorConnections)).map { tokens.make(now: 0, for: holder($0, "\($0)")) }
    #expect(made.count { tokens.use($0, now: 1_000) } == Limits.doorConnections)
  }
}
