import SegueCore
import SegueEngine
import SegueSimulator
import Testing

@Suite struct AnnouncerTests {
  private let interval = Limits.announceInterval

  @Test func aBurstAtOnceThenOneEachInterval() {
    for start in [0, 1, 1_000_000] as [Instant] {
      var announcer = Announcer()
      // At zero nothing can have been earned; a burst there is all the same the first.
      for _ in 0..<Limits.announceBurst { #expect(announcer.handle(.changed, now: start) == [.announce]) }
      #expect(announcer.handle(.changed, now: start) == [.wake(at: start + interval)])
      // One timer only, however many changes.
      for _ in 0..<100 { #expect(announcer.handle(.changed, now: start + 1) == []) }
      #expect(announcer.handle(.timer, now: start + interval) == [.announce])
      #expect(announcer.handle(.changed, now: start + interval) == [.wake(at: start + 2 * interval)])
      #expect(announcer.handle(.timer, now: start + 2 * interval) == [.announce])
    }
  }

  @Test func aPauseFillsTheBurstAgainAndNoMore() {
    var announcer = Announcer()
    for _ in 0..<Limits.announceBurst { _ = announcer.handle(.changed, now: 5_000) }
    let later = Instant(milliseconds: 5_000) + interval * (Limits.announceBurst + 50)
    for _ in 0..<Limits.announceBurst { #expect(announcer.handle(.changed, now: later) == [.announce]) }
    #expect(announcer.handle(.changed, now: later) == [.wake(at: later + interval)])
  }

  @Test func aTimerThatNobodyWaitsForSaysNothing() {
    var announcer = Announcer()
    #expect(announcer.handle(.timer, now: 1_000) == [])
    _ = announcer.handle(.changed, now: 1_000)
    #expect(announcer.handle(.timer, now: 2_000) == [])
  }

  @Test func V13_theLastStateIsAlwaysSentAndTheRateIsKept() {
    var random = SeededGenerator(seed: 13)
    for _ in 0..<200 {
      var announcer = Announcer()
      var clock = VirtualClock<Announcer.Event>()
      var changed: Instant = 10_000
      var sent: [Instant] = []
      var wakes = 0
      let density = 1 + random.below(600)
      for _ in 0..<100 {
        changed = changed + random.below(density)
        clock.schedule(.changed, at: changed)
      }
      while let (_, event) = clock.next() {
        if case .timer = event { wakes -= 1 }
        for effect in announcer.handle(event, now: clock.now) {
          switch effect {
          case .announce: sent.append(clock.now)
          case .wake(let time):
            wakes += 1
            #expect(wakes == 1)
            clock.schedule(.timer, at: time)
          }
        }
      }
      // V13 says one second; the wait of a burst is a part of it.
      #expect((sent.last ?? 0) >= changed)
      #expect((sent.last ?? 0) <= changed + interval)
      for (index, time) in sent.enumerated() where index >= Int(Limits.announceBurst) * 2 {
        #expect(time.time(since: sent[index - Int(Limits.announceBurst) * 2]) >= interval * Limits.announceBurst)
      }
    }
  }
}
