import SegueCore
import Testing

@testable import SegueLink

@Suite struct HeartbeatTests {
  /// In a network in which TCP soon sends a second time, they come later.
  @Test(arguments: [(UInt64(1_000), 123), (204, 117)], [false, true]) func X10_anIdleLinkIsKeptByOneBeatInFiveSeconds(
    network: (UInt64, Int), isQuiet: Bool
  ) {
    var pair = IdleNetwork(devices: 2)
    let (one, other) = pair.link(0, 1, timeout: network.0)
    (one.isQuiet, other.isQuiet) = (isQuiet, true)
    pair.run(until: 600_000)
    #expect(one.lost == nil && other.lost == nil)
    #expect(one.pings == 0 && other.pings == 0)
    #expect(one.heartbeats + other.heartbeats <= network.1)
    // In turns: each has words of the other's, and not only its system's.
    #expect(abs(one.heartbeats - other.heartbeats) <= 1)
  }

  /// Whenever it is cut, also right after the last byte, and whoever sends what nobody answers.
  @Test(arguments: [UInt64(1_000), 500, 337, 300, 204], [(true, true), (false, true), (true, false)])
  func X10_bothSidesNoticeWithinSixSeconds(timeout: UInt64, isQuiet: (Bool, Bool)) {
    for spoken in [nil, 0, 1] {
      for cut in stride(from: UInt64(10_000), through: 20_500, by: 150) {
        for sending in [nil, 0, 1] {
          var pair = IdleNetwork(devices: 2)
          pair.probesTail = cut.isMultiple(of: 100)
          let ends = pair.link(0, 1, timeout: timeout)
          let both = [ends.0, ends.1]
          (both[0].isQuiet, both[1].isQuiet) = isQuiet
          pair.run(until: 7_000)
          if let spoken { pair.send(both[spoken]) }
          pair.run(until: cut)
          pair.isCut = true
          for _ in 0..<80 {
            if let sending { pair.send(both[sending]) }
            pair.run(until: pair.now + 100)
          }
          for end in both {
            #expect(end.lost.map { $0 <= cut + 6_000 } == true, "cut at \(cut): \(both.map { $0.lost })")
          }
        }
      }
    }
  }

  /// The links of a device with many, whatever their turns are when it is cut off.
  @Test func X10_allLinksOfADeviceAreNoticedWithinSixSeconds() {
    for round in 0..<40 {
      var network = Self.hub(seed: UInt64(round))
      network.run(until: 40_000)
      let cut = network.now + UInt64(round) * 290
      network.run(until: cut)
      network.isCut = true
      network.run(until: cut + 6_000)
      for end in network.devices.flatMap({ $0.ends }) { #expect(end.lost != nil, "round \(round)") }
    }
  }

  /// A process that hangs is told from one that lives, though its system acknowledges.
  @Test(arguments: [UInt64(204), 1_000]) func X10_aProcessThatHangsIsNoticed(timeout: UInt64) {
    for moment in stride(from: UInt64(20_000), through: 31_000, by: 250) {
      var pair = IdleNetwork(devices: 2)
      let (one, other) = pair.link(0, 1, timeout: timeout)
      pair.run(until: moment)
      other.device.isHung = true
      // Its last heartbeat, this side's, what waits for its own, and what waits for an answer to a ping.
      pair.run(until: moment + 14_000)
      #expect(one.lost != nil)
    }
  }

  /// A device with eight linked ones, whose links began at any times: nobody wakes more often than the aim says, nor is
  /// more sent than one heartbeat in five seconds on each.
  @Test func aDeviceWithEightLinksTicksForAllAtOnce() {
    for seed in 0..<60 {
      var network = Self.hub(seed: UInt64(seed))
      network.run(until: 60_000)
      let (before, beats) = (network.devices.map { $0.wakes }, Self.heartbeats(network))
      network.run(until: network.now + 240_000)
      for (device, before) in zip(network.devices, before) { #expect(device.wakes - before <= 4 * 24, "seed \(seed)") }
      // 12 on each link, and now and then one more when they gather.
      #expect(Self.heartbeats(network) - beats <= 4 * 8 * 13)
      #expect(network.devices.allSatisfy { $0.ends.allSatisfy { $0.lost == nil && $0.pings == 0 } })
    }
  }

  /// Each of eight devices is linked with all others, so that what suits one disturbs another.
  @Test func eightDevicesOfAMeshTickSeldom() {
    for seed in 0..<20 {
      var random = SplitMix(state: UInt64(seed))
      var network = IdleNetwork(devices: 8)
      for one in 0..<8 {
        for other in 0..<one {
          network.run(until: network.now + random.next() % 1_000)
          network.link(one, other, timeout: 204 + random.next() % 60)
        }
      }
      network.run(until: 120_000)
      let (before, beats) = (network.devices.map { $0.wakes }, Self.heartbeats(network))
      network.run(until: network.now + 240_000)
      for (device, before) in zip(network.devices, before) { #expect(device.wakes - before <= 4 * 28, "seed \(seed)") }
      #expect(Self.heartbeats(network) - beats <= 4 * 28 * 14)
      #expect(network.devices.allSatisfy { $0.ends.allSatisfy { $0.lost == nil } })
    }
  }

  /// Eight devices that are linked with the first, at any times within a turn.
  private static func hub(seed: UInt64) -> IdleNetwork {
    var random = SplitMix(state: seed)
    var network = IdleNetwork(devices: 9)
    for peer in 1...8 {
      network.run(until: network.now + random.next() % 2_800)
      let isFirst = random.next().isMultiple(of: 2)
      network.link(
        isFirst ? 0 : peer, isFirst ? peer : 0, timeout: 204 + random.next() % (seed.isMultiple(of: 2) ? 1 : 60))
    }
    return network
  }

  private static func heartbeats(_ network: IdleNetwork) -> Int {
    network.devices.reduce(0) { $0 + $1.ends.reduce(0) { $0 + $1.heartbeats } }
  }

  @Test func bothSayingSomethingAtOnceDoNotBeatAtOnce() {
    var pair = IdleNetwork(devices: 2)
    let (one, other) = pair.link(0, 1, timeout: 204)
    for _ in 0..<10 {
      pair.send(one)
      pair.send(other)
      pair.run(until: pair.now + 100)
    }
    pair.run(until: 600_000)
    #expect(one.lost == nil && other.lost == nil)
    #expect(one.heartbeats + other.heartbeats <= 117)
    #expect(one.pings + other.pings <= 1)
  }

  @Test func aPeerThatIsThereAndSaysNothingIsAskedAndLost() {
    var heart = Heartbeat(LinkSettings(), isFirst: false, now: 0)
    #expect(heart.step(5_000, .all) == .heartbeat(patience: nil))
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
    #expect(slept.step(180_000, .all) == .heartbeat(patience: nil))
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
    #expect(heart.step(2_000, .all) == .wait(until: 5_000))
    let joinsEarly = heart.join(2_000, gathers: false)
    #expect(!joinsEarly)
    let joins = heart.join(2_500, gathers: false)
    #expect(joins)
    #expect(heart.step(2_500, .all) == .heartbeat(patience: 1_188))
    // It has beaten; now it is the other's turn.
    guard case .wait = heart.step(6_000, .all) else {
      Issue.record("no wait")
      return
    }
    let joinsAgain = heart.join(6_000, gathers: false)
    #expect(!joinsAgain)
    // It may speak twice, unless the other has just spoken.
    let gathers = heart.join(6_000, gathers: true)
    #expect(gathers)
    guard case .heartbeat = heart.step(6_000, .all) else {
      Issue.record("no heartbeat")
      return
    }
    heart.heard(8_000)
    let gathersAtOnce = heart.join(8_100, gathers: true)
    #expect(!gathersAtOnce)
  }

  /// TCP notices a loss by itself where its time-outs leave room for that, and only while nothing but a heartbeat is
  /// under way.
  @Test func theSystemWatchesAHeartbeatThatIsAlone() {
    func beat(_ timeout: UInt64, isEmpty: Bool = true) -> (Heartbeat, Heartbeat.Step) {
      var heart = Heartbeat(LinkSettings(), isFirst: false, now: 0)
      let state = Acknowledgement(isComplete: true, isEmpty: isEmpty, last: 0, timeout: timeout, received: 0)
      guard case .wait(let due) = heart.step(1, state) else { return (heart, .lost) }
      let step = heart.step(due, state)
      return (heart, step)
    }
    var (heart, step) = beat(204)
    #expect(step == .heartbeat(patience: 166))
    let state = Acknowledgement(isComplete: false, isEmpty: false, last: 0, timeout: 204, received: 0)
    // It is woken when the other's turn is over.
    #expect(heart.step(5_288, state) == .wait(until: 5_288 + 5_900 - 204))
    // More is sent, and it looks itself.
    heart.unwatched()
    #expect(heart.step(5_289, state) == .wait(until: 5_900))
    #expect(heart.step(5_900, state) == .lost)
    #expect(beat(204, isEmpty: false).1 == .heartbeat(patience: nil))
    #expect(beat(337).1 == .heartbeat(patience: 170))
    #expect(beat(338).1 == .heartbeat(patience: nil))
  }

  @Test func whatCameBeforeAWordAnswersNothingOfIt() {
    var heart = Heartbeat(LinkSettings(), isFirst: false, now: 0)
    heart.sent(1_000)
    heart.heard(999)
    #expect(heart.step(4_000, .all) == .ping)
  }

  @Test func acknowledgementsOfAStreamAreSignsOfLife() {
    var heart = Heartbeat(LinkSettings(), isFirst: true, now: 0)
    heart.heard(1)
    heart.sent(4_900)
    // Never all of it; but the last has just come.
    #expect(
      heart.step(5_900, Acknowledgement(isComplete: false, isEmpty: false, last: 5_890, timeout: 204, received: 0))
        == .wait(until: 7_900))
  }
}
