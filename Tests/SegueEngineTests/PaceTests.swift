import SegueCore
import SegueEngine
import Testing

@Suite struct PaceTests {
  @Test func aBurstIsDueAtOnceAndTheOthersAnIntervalApart() {
    var pace = Pace(burst: 3, interval: 100)
    let due = (0..<6).map { _ in pace.due(at: 5_000) }
    #expect(due == [5_000, 5_000, 5_000, 5_100, 5_200, 5_300])
  }

  @Test func whoKeepsThePaceNeverWaits() {
    var pace = Pace(burst: 1, interval: 100)
    for number: UInt64 in 1...50 {
      let now = Instant(milliseconds: number * 100)
      #expect(pace.due(at: now) == now)
    }
  }

  @Test func aPauseEarnsTheBurstAgainAndNoMore() {
    var pace = Pace(burst: 2, interval: 100)
    for _ in 0..<4 { _ = pace.due(at: 1_000) }
    let due = (0..<3).map { _ in pace.due(at: 60_000) }
    #expect(due == [60_000, 60_000, 60_100])
  }
}
