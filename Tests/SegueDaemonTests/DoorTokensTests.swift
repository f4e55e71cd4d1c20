import SegueCore
import Testing

@testable import SegueDaemon

@Suite struct DoorTokensTests {
  private let end: Instant = 30_000

  @Test func aTokenIsGoodOnceForItsTime() {
    var tokens = DoorTokens()
    let one = tokens.make(now: 0)
    let two = tokens.make(now: 0)
    #expect(one != two)
    #expect(Identifier(hex: one) != nil)
    #expect(tokens.use(one, now: 29_999) == true)
    #expect(tokens.use(one, now: 29_999) == false)
    #expect(tokens.use(two, now: end) == false)
    for wrong in ["", "x", Identifier.random().hex, two.uppercased()] { #expect(tokens.use(wrong, now: 0) == false) }
  }

  @Test func whoAsksForManyMakesTheOldestVoid() {
    var tokens = DoorTokens()
    let made = (0...UInt64(Limits.doorConnections)).map { tokens.make(now: Instant(milliseconds: $0), for: ":1.\($0)") }
    #expect(tokens.use(made[0], now: 1_000) == false)
    for token in made.dropFirst() { #expect(tokens.use(token, now: 1_000) == true) }
  }

  @Test func whoAsksForManyMakesNobodyElsesVoid() {
    var tokens = DoorTokens()
    let other = tokens.make(now: 0, for: ":1.1")
    for time in 1...UInt64(Limits.doorConnections * 2) {
      _ = tokens.make(now: Instant(milliseconds: time), for: ":1.2")
    }
    #expect(tokens.use(other, now: 1_000) == true)
  }
}
