import SegueCore
import SegueEngine
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
  }

  @Test func nobodyMakesATokenButTheDaemon() throws {
    var tokens = DoorTokens()
    let token = tokens.make(now: 0)
    let good = try #require(Identifier(hex: token))
    for bit in UInt64(0)..<64 {
      #expect(tokens.use(Identifier(high: good.high ^ 1 << bit, low: good.low).hex, now: 0) == false)
      #expect(tokens.use(Identifier(high: good.high, low: good.low ^ 1 << bit).hex, now: 0) == false)
    }
    var others = DoorTokens()
    for wrong in ["", "x", Identifier.random().hex, token.uppercased(), others.make(now: 0)] {
      #expect(tokens.use(wrong, now: 0) == false)
    }
    #expect(tokens.use(token, now: 0) == true)
  }

  @Test func whoAsksForManyMakesNoneVoid() {
    var tokens = DoorTokens()
    let honest = tokens.make(now: 0)
    for _ in 0..<10_000 { _ = tokens.make(now: 1) }
    #expect(tokens.use(honest, now: 1_000) == true)
  }

  /// What is no longer remembered counts as used, with all that is as old, and what is newer is valid.
  @Test(arguments: [0, 1]) func soManyThatWereUsedAreRemembered(_ more: Int) {
    var tokens = DoorTokens()
    let first = tokens.make(now: 0)
    let asOld = tokens.make(now: 0)
    #expect(tokens.use(first, now: 1) == true)
    let made = (0..<Limits.doorTokensUsed - 1 + more).map {
      tokens.make(now: $0 * 4 < Limits.doorTokensUsed * 3 ? 0 : 1)
    }
    #expect(made.allSatisfy { tokens.use($0, now: 1) })
    #expect(tokens.use(first, now: 1) == false)
    #expect(made.allSatisfy { !tokens.use($0, now: 1) })
    let newer = tokens.make(now: 1)
    #expect(tokens.use(asOld, now: 1) == (more == 0))
    #expect(tokens.use(newer, now: 1) == true)
  }
}
