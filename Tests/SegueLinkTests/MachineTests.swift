import SegueCore
import Testing

@testable import SegueLink

/// The link's counters and queues: logins, unauthenticated peers, goodbyes, lines of the log.
@Suite struct MachineTests {
  @Test func attack1_loginsAreFew() {
    var logins = Peer.allowance
    func isAdmitted(_ now: UInt64) -> Bool { logins.admit(at: Instant(milliseconds: now)) == 0 }
    for _ in 0..<Limits.loginBurst { #expect(isAdmitted(0) == true) }
    #expect(isAdmitted(Limits.loginInterval - 1) == false)
    #expect(isAdmitted(Limits.loginInterval) == true)
    #expect(isAdmitted(Limits.loginInterval) == false)
    let later = Limits.loginInterval * 1_000
    for _ in 0..<Limits.loginBurst { #expect(isAdmitted(later) == true) }
    #expect(isAdmitted(later) == false)
  }

  @Test func fewConnectionsWaitForAGoodbye() {
    var closing = ClosingConnections()
    for token in 1...UInt64(Limits.closingConnections) { #expect(closing.add(token) == nil) }
    closing.remove(1)
    #expect(closing.add(100) == nil)
    #expect(closing.add(101) == 2)
    #expect(closing.takeAll().count == Limits.closingConnections)
    #expect(closing.takeAll().isEmpty)
  }

  @Test func attack1_strangersHaveFewPlaces() {
    var strangers = UnauthenticatedPeers(settings: LinkSettings())
    // A source's fifth costs it its first.
    for token in UInt64(0)..<4 { #expect(strangers.admit(token, from: "s", now: 0) == nil) }
    #expect(strangers.admit(4, from: "s", now: 0) == 0)
    for token in UInt64(5)..<33 { #expect(strangers.admit(token, from: "t\(token)", now: 0) == nil) }
    #expect(strangers.count == 32)
    #expect(strangers.admit(99, from: "u", now: 0) == 1)
    // Five failures, and a source has one place for a minute.
    for token in UInt64(100)..<105 { strangers.leave(token, from: "v", .failed, now: 10) }
    strangers.leave(99, from: "u", .proved, now: 10)
    strangers.leave(2, from: "s", .proved, now: 10)
    #expect(strangers.admit(200, from: "v", now: 20) == nil)
    #expect(strangers.admit(201, from: "v", now: 20) == 200)
    strangers.leave(201, from: "v", .failed, now: 30)
    #expect(strangers.admit(202, from: "v", now: 70_000) == nil)
    #expect(strangers.admit(203, from: "v", now: 70_000) == nil)
    // The memory of sources is bounded.
    for number in 0..<2000 { strangers.leave(1, from: "w\(number)", .failed, now: UInt64(number)) }
    #expect(UnauthenticatedPeers.source(ip: [127, 0, 0, 1]) == "7f000001")
    let v6: [UInt8] = [0x20, 1, 13, 0xb8, 0, 0, 0, 1, 9, 9, 9, 9, 9, 9, 9, 9]
    #expect(UnauthenticatedPeers.source(ip: v6) == "20010db800000001")
  }

  @Test func logLimiter() {
    var limiter = LogLimiter()
    #expect((0..<100).count { _ in limiter.admit(.unauthenticated, now: 0).write } == 10)
    #expect(limiter.admit(.dial, now: 0).write)
    let later = limiter.admit(.unauthenticated, now: 60_000)
    #expect(later.write)
    #expect(later.missed == 90)
  }

  @Test func attack35_whatOnePeerDoesLeavesRoomForTheLinesOfAnother() {
    let peers = (1...2).map { DeviceID(hash: [UInt8](repeating: $0, count: 32), check: []) }
    var limiter = LogLimiter()
    for cause in [LogLimiter.Cause.violation, LogLimiter.Cause.peer] {
      #expect((0..<100).count { _ in limiter.admit(cause(peers[0]), now: 0).write } == Limits.logLinesPerMinute)
      #expect(limiter.admit(cause(peers[1]), now: 0).write)
    }
  }
}
