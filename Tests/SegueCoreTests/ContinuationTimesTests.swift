import SegueCore
import Testing

@Suite struct ContinuationTimesTests {
  @Test func X4_eachPhaseHasItsStartAndItsDuration() {
    var times = ContinuationTimes(chosen: 1_000)
    times.end(.choose, at: 1_010)
    times.begin(.fetch, at: 1_010)
    times.begin(.launch, at: 1_020)
    times.end(.fetch, at: 1_500)
    times.saved(in: 300)
    times.end(.launch, at: 1_700)
    times.begin(.claim, at: 1_700)
    times.end(.claim, at: 1_800)
    times.begin(.restore, at: 1_800)
    times.end(.restore, at: 2_000)
    let all = times.all.map { [$0.phase.rawValue, "\($0.start)", "\($0.duration)"] }
    #expect(
      all == [
        ["choose", "0", "10"], ["launch", "20", "680"], ["fetch", "10", "490"], ["save", "10", "300"],
        ["claim", "700", "100"], ["restore", "800", "200"],
      ])
    #expect(times.total == 1_000)
  }

  @Test func X4_whatHasNotEndedIsNotShown_andASecondLaunchReplacesTheFirst() {
    var times = ContinuationTimes(chosen: 0)
    times.begin(.launch, at: 5)
    times.end(.launch, at: 7)
    times.begin(.launch, at: 10)
    #expect(times.all.isEmpty)
    times.end(.launch, at: 30)
    #expect(times.all.map { [$0.start, $0.duration] } == [[10, 20]])
    times.end(.restore, at: 40)
    #expect(times.all.count == 1)
  }
}
