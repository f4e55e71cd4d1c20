import SegueCore
import Testing

@testable import SegueLink

extension Acknowledgement {
  /// Everything that was sent has arrived.
  static let all = Acknowledgement(isComplete: true, last: 0, timeout: 1_000)
  /// No part of it has arrived.
  static let none = Acknowledgement(isComplete: false, last: 0, timeout: 1_000)
}

/// Two sides of a link and the network between them: what one sends, the other has in the same millisecond, until the
/// cable is cut.
private struct Pair {
  var hearts: [Heartbeat]
  var now: UInt64 = 0
  var isCut = false
  /// Beats and pings of each side.
  var heartbeats = [0, 0]
  var pings = [0, 0]
  /// When each side gave the other up.
  var lost: [UInt64?] = [nil, nil]
  /// When each side's timer rings.
  private var wakes: [UInt64] = [0, 0]
  private var isAcknowledged = [true, true]

  private let timeout: UInt64

  /// `timeout`: how long TCP waits for an acknowledgement.
  init(timeout: UInt64) {
    self.timeout = timeout
    hearts = [true, false].map { Heartbeat(LinkSettings(), isFirst: $0, now: 0) }
  }

  /// Something of the owner's, which the other side does not answer.
  mutating func send(_ side: Int) {
    hearts[side].sent(now)
    wakes[side] = min(wakes[side], hearts[side].earliest)
    carry(side)
  }

  mutating func run(until end: UInt64) {
    while true {
      for side in [0, 1] where wakes[side] <= now && lost[side] == nil { step(side) }
      guard now < end else { return }
      now = min(end, max(now + 1, min(wake(0), wake(1))))
    }
  }

  private func wake(_ side: Int) -> UInt64 { lost[side] == nil ? wakes[side] : .max }

  private mutating func step(_ side: Int) {
    while true {
      switch hearts[side].step(now, Acknowledgement(isComplete: isAcknowledged[side], last: 0, timeout: timeout)) {
      case .heartbeat:
        heartbeats[side] += 1
        carry(side)
      case .ping:
        pings[side] += 1
        carry(side)
        if !isCut {
          carry(1 - side)
        }
      case .lost:
        lost[side] = now
        return
      case .wait(let until):
        // A timer that rings at once for ever would be noticed here.
        #expect(until > now)
        wakes[side] = until
        return
      }
    }
  }

  private mutating func carry(_ side: Int) {
    isAcknowledged[side] = !isCut
    guard !isCut else { return }
    hearts[1 - side].heard(now)
    wakes[1 - side] = min(wakes[1 - side], hearts[1 - side].earliest)
  }
}

@Suite struct HeartbeatTests {
  /// In a network in which TCP soon sends a second time, they come later.
  @Test(arguments: [(1_000, 123), (204, 111)]) func X10_anIdleLinkIsKeptByOneBeatInFiveSeconds(
    timeout: UInt64, most: Int
  ) {
    var pair = Pair(timeout: timeout)
    pair.run(until: 600_000)
    #expect(pair.lost == [nil, nil])
    #expect(pair.pings == [0, 0])
    #expect(pair.heartbeats[0] + pair.heartbeats[1] <= most)
    // In turns: each has words of the other's, and not only its system's.
    #expect(abs(pair.heartbeats[0] - pair.heartbeats[1]) <= 1)
  }

  /// Whenever it is cut, also right after the last byte, and whoever sends what nobody answers.
  @Test(arguments: [UInt64(1_000), 300, 204]) func X10_bothSidesNoticeWithinSixSeconds(timeout: UInt64) {
    for spoken in [nil, 0, 1] {
      for cut in stride(from: UInt64(10_000), through: 20_500, by: 50) {
        for sending in [nil, 0, 1] {
          var pair = Pair(timeout: timeout)
          pair.run(until: 7_000)
          if let spoken { pair.send(spoken) }
          pair.run(until: cut)
          pair.isCut = true
          for _ in 0..<80 {
            if let sending, pair.lost[sending] == nil { pair.send(sending) }
            pair.run(until: pair.now + 100)
          }
          for lost in pair.lost { #expect(lost.map { $0 <= cut + 6_000 } == true, "cut at \(cut): \(pair.lost)") }
        }
      }
    }
  }

  @Test func bothSayingSomethingAtOnceDoNotBeatAtOnce() {
    var pair = Pair(timeout: 204)
    for _ in 0..<10 {
      pair.send(0)
      pair.send(1)
      pair.run(until: pair.now + 100)
    }
    pair.run(until: 600_000)
    #expect(pair.lost == [nil, nil])
    #expect(pair.heartbeats[0] + pair.heartbeats[1] <= 111)
    #expect(pair.pings[0] + pair.pings[1] <= 1)
  }

  @Test func aPeerThatIsThereAndSaysNothingIsAskedAndLost() {
    var heart = Heartbeat(LinkSettings(), isFirst: false, now: 0)
    #expect(heart.step(5_000, .all) == .heartbeat)
    // Its system has the heartbeat, so its own is waited for.
    guard case .wait(let until) = heart.step(5_900, .all) else {
      Issue.record("no wait")
      return
    }
    #expect(until > 10_000 && until < 10_900)
    #expect(heart.step(until, .all) == .ping)
    #expect(heart.step(until, .all) == .wait(until: until + 2_500))
    #expect(heart.step(until + 2_500, .all) == .lost)
  }

  @Test func afterASleepWhatWaitsInTheSocketIsReadFirst() {
    var slept = Heartbeat(LinkSettings(), isFirst: false, now: 0)
    slept.probe(1_000)
    #expect(slept.step(1_000, .all) == .ping)
    #expect(slept.step(90_000, .all) == .wait(until: 90_250))
    slept.heard(90_100)
    #expect(slept.step(90_250, .all) == .wait(until: 95_100))
    // One that has slept long says its word before it judges.
    #expect(slept.step(180_000, .all) == .heartbeat)
    #expect(slept.step(180_000, .none) == .wait(until: 180_450))
    #expect(slept.step(180_450, .none) == .lost)
  }

  @Test func aProbeAsksNowAndOnce() {
    var heart = Heartbeat(LinkSettings(), isFirst: false, now: 0)
    heart.probe(100)
    #expect(heart.step(100, .all) == .ping)
    heart.probe(200)
    #expect(heart.step(200, .all) == .wait(until: 2_600))
    heart.heard(300)
    heart.heard(301)
    guard case .wait(let until) = heart.step(2_600, .all) else {
      Issue.record("no wait")
      return
    }
    #expect(until == 5_301)
  }

  @Test func aLinkThatWouldBeatSoonJoinsAnother() {
    var heart = Heartbeat(LinkSettings(), isFirst: false, now: 0)
    #expect(heart.join(2_000) == false)
    #expect(heart.step(2_000, .all) == .wait(until: 5_000))
    #expect(heart.join(2_500) == true)
    #expect(heart.step(2_500, .all) == .heartbeat)
    // It has beaten; now it is the other's turn.
    #expect(heart.join(6_000) == false)
    guard case .wait = heart.step(6_000, .all) else {
      Issue.record("no wait")
      return
    }
  }

  @Test func acknowledgementsOfAStreamAreSignsOfLife() {
    var heart = Heartbeat(LinkSettings(), isFirst: true, now: 0)
    heart.heard(1)
    heart.sent(4_900)
    // Never all of it; but the last has just come.
    #expect(heart.step(5_900, Acknowledgement(isComplete: false, last: 5_890, timeout: 204)) == .wait(until: 7_900))
  }
}
