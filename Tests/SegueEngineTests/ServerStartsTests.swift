import SegueCore
import SegueEngine
import Testing

@Suite struct ServerStartsTests {
  @Test func oneThatDoesNotComeUpIsLeftAloneLongerEachTime() {
    var starts = ServerStarts(first: 10, maximum: 35)
    var times: [Int] = []
    for time in 0..<130 where starts.start(now: Instant(milliseconds: UInt64(time))) { times.append(time) }
    #expect(times == [0, 10, 30, 65, 100])
    starts.worked()
    #expect(starts.start(now: 130) == true)
    #expect(starts.start(now: 139) == false)
    #expect(starts.start(now: 140) == true)
  }

  @Test func aLongFirstPauseIsNotShortened() {
    var starts = ServerStarts(first: 100, maximum: 10)
    #expect(starts.start(now: 0) == true)
    #expect(starts.start(now: 100) == true)
    #expect(starts.start(now: 199) == false)
  }
}
