import SegueCore
import Testing

@testable import SegueShell

@Suite struct FarewellTests {
  private let start = Instant(milliseconds: 1_000)

  @Test func whatIsNotTakenIsDropped() {
    var farewell = Farewell(waiting: 100, at: start)
    #expect(farewell.deadline == start + Limits.shellHelloTime)
    farewell.waits(100, at: start + 9_000)
    #expect(farewell.deadline == start + Limits.shellHelloTime)
  }

  @Test func whoTakesSomeGetsTimeForTheRest() {
    var farewell = Farewell(waiting: 100, at: start)
    for round in 1...20 as ClosedRange<UInt64> {
      farewell.waits(100 - Int(round), at: start + round * 9_000)
      #expect(farewell.deadline == start + round * 9_000 + Limits.shellHelloTime)
    }
  }

  @Test func nobodyTakesForEver() {
    var farewell = Farewell(waiting: 1_000_000, at: start)
    farewell.waits(1, at: start + (Limits.shellFarewellTime - 1))
    #expect(farewell.deadline == start + Limits.shellFarewellTime)
  }
}
