import NIOCore
import SegueCore
import Testing

@testable import SegueLink

/// Bounds of the link's machines: at the bound, and one past it. docs/limits.md names the tests of each.
@Suite struct LimitTests {
  @Test func frames() throws {
    for limit in [Limits.frameLengthBeforeWelcome, Limits.frameLength] {
      for (length, isTaken) in [(limit, true), (limit + 1, false)] {
        var decoder = FrameDecoder()
        if limit == Limits.frameLength { decoder.limit = limit }
        var bytes = ByteBuffer()
        Frame(kind: .control, payload: ByteBuffer(repeating: 1, count: length)).write(to: &bytes)
        decoder.append(bytes)
        let frame = try? decoder.next()
        #expect((frame != nil) == isTaken)
      }
    }
  }

  @Test func window() throws {
    var flow = Flow(window: Limits.channelWindow, peerWindow: Limits.channelWindow)
    let each = Limits.channelWindow / 4 - Flow.overhead
    for _ in 0..<4 { try flow.received(each) }
    #expect(flow.outstanding == Limits.channelWindow)
    #expect(throws: SegueError.self) { try flow.received(0) }
  }

  /// Takes as much as the window allows, in frames of one length, and consumes it but for `left` of them. Returns the
  /// credit that is given.
  private func fill(_ flow: inout Flow, leaving left: Int) -> UInt32 {
    let each = Limits.channelWindow / 8
    var more: UInt32 = 0
    while (try? flow.received(each - Flow.overhead)) != nil {}
    while flow.outstanding > left * each { more += flow.consumed(each - Flow.overhead) ?? 0 }
    return more
  }

  @Test func aWindowGrowsWhileItsOwnerKeepsUp() throws {
    var flow = Flow(
      window: Limits.channelWindow, windowMost: Limits.channelWindowMost, peerWindow: Limits.channelWindow)
    var ahead = Limits.channelWindow
    var windows: [Int] = []
    for _ in 0..<6 {
      windows.append(ahead)
      ahead = Int(fill(&flow, leaving: 0))
    }
    #expect(windows == [1, 2, 4, 4, 4, 4].map { $0 * Limits.channelWindow })
    // The sender may have sent that much, and not a byte more.
    for _ in 0..<32 { try flow.received(Limits.channelWindow / 8 - Flow.overhead) }
    #expect(flow.outstanding == Limits.channelWindowMost)
    #expect(throws: SegueError.self) { try flow.received(0) }
  }

  @Test func attack33_aWindowStaysSmallWhileItsOwnerLags() throws {
    var flow = Flow(
      window: Limits.channelWindow, windowMost: Limits.channelWindowMost, peerWindow: Limits.channelWindow)
    for _ in 0..<20 { _ = fill(&flow, leaving: 3) }
    #expect(flow.outstanding <= Limits.channelWindow)
    while (try? flow.received(0)) != nil {}
    #expect(flow.outstanding <= Limits.channelWindow)
  }

  /// Of what a quota lets pass, a sender gets small portions of credit back once it may be short, and halves before.
  @Test func pacedCredit() throws {
    let each = Limits.pacedCredit / 2
    func portions(isPaced: Bool, sent: Int) throws -> [UInt32] {
      var flow = Flow(window: Limits.channelWindow, isPaced: isPaced, peerWindow: Limits.channelWindow)
      for _ in 0..<(sent / each) { try flow.received(each - Flow.overhead) }
      return (0..<(sent / each)).compactMap { _ in flow.consumed(each - Flow.overhead) }
    }
    let (whole, half) = (Limits.channelWindow, Limits.channelWindow / 2)
    let small = try portions(isPaced: true, sent: whole).filter { $0 == UInt32(Limits.pacedCredit) }
    // Until the longest frame fits again.
    #expect(small.count == (Flow.leastWindow + Limits.pacedCredit - 1) / Limits.pacedCredit)
    #expect(try portions(isPaced: true, sent: half) == [UInt32(half)])
    #expect(try portions(isPaced: false, sent: whole) == [UInt32(half), UInt32(half)])
  }

  @Test func credit() throws {
    var flow = Flow(window: Limits.channelWindow, peerWindow: Limits.channelWindow)
    let rest = Limits.channelCredit - Limits.channelWindow
    try flow.granted(rest)
    #expect(flow.credit == Limits.channelCredit)
    #expect(throws: SegueError.self) { try flow.granted(1) }
  }

  @Test func answers() throws {
    var mux = Mux(dialler: true, settings: LinkSettings(), peerWindow: Limits.channelWindow)
    for _ in 0..<Limits.channelAnswers { try mux.receive(Frame(kind: .ping)) }
    #expect(throws: SegueError.self) { try mux.receive(Frame(kind: .ping)) }
  }

  /// The failures of a source are forgotten when too many others have failed since.
  @Test(arguments: [0, 1]) func sourcesOfStrangers(_ more: Int) {
    var strangers = UnauthenticatedPeers(settings: LinkSettings())
    var token: UInt64 = 0
    func fail(_ source: String, _ strangers: inout UnauthenticatedPeers) {
      for _ in 0..<Limits.unauthenticatedFailures {
        token += 1
        strangers.leave(token, from: source, .failed, now: token)
      }
    }
    for number in 0..<(Limits.unauthenticatedSources + more) { fail("s\(number)", &strangers) }
    let first = strangers.admit(100_000, from: "s0", now: token)
    let second = strangers.admit(100_001, from: "s0", now: token)
    #expect(first == nil)
    #expect(second == (more == 0 ? 100_000 : nil))
  }

  @Test func penalty() {
    var strangers = UnauthenticatedPeers(settings: LinkSettings())
    func isPunished(_ strangers: UnauthenticatedPeers, now: UInt64) -> Bool {
      var strangers = strangers
      _ = strangers.admit(1, from: "s", now: now)
      return strangers.admit(2, from: "s", now: now) != nil
    }
    for _ in 1..<Limits.unauthenticatedFailures { strangers.leave(0, from: "s", .failed, now: 10) }
    #expect(!isPunished(strangers, now: 10))
    strangers.leave(0, from: "s", .failed, now: 10)
    #expect(isPunished(strangers, now: 10 + Limits.penaltyTime - 1))
    #expect(!isPunished(strangers, now: 10 + Limits.penaltyTime))
  }

  @Test func places() {
    for (each, most, source) in [
      (Limits.unauthenticatedPerSource, Limits.unauthenticatedPerSource, { (_: UInt64) in "s" }),
      (Limits.unauthenticatedConnections, Limits.unauthenticatedConnections, { "t\($0)" }),
    ] {
      var strangers = UnauthenticatedPeers(settings: LinkSettings())
      for token in 0..<UInt64(each) {
        let victim = strangers.admit(token, from: source(token), now: 0)
        #expect(victim == nil)
      }
      let victim = strangers.admit(1_000, from: source(1_000), now: 0)
      #expect(victim == 0)
      #expect(strangers.count == most)
    }
  }

  @Test func heartbeat() {
    var heart = Heartbeat(LinkSettings(), isFirst: false, now: 0)
    #expect(heart.step(Limits.heartbeatTime - 1, .none) == .wait(until: Limits.heartbeatTime))
    #expect(heart.step(Limits.heartbeatTime, .none) == .heartbeat(patience: nil))
    #expect(heart.step(Limits.silenceTime - 1, .none) == .wait(until: Limits.silenceTime))
    #expect(heart.step(Limits.silenceTime, .none) == .lost)
  }

  /// The last of more ticks than there may be gathers the links.
  @Test func heartbeatTicks() {
    func gathers(_ times: [UInt64], _ rhythm: inout Rhythm) -> Bool {
      var gathers = false
      for time in times { rhythm.tick([0], time, step: { _ in true }, join: { gathers = gathers || $1 }) }
      return gathers
    }
    let step = Limits.heartbeatWindow / UInt64(Limits.heartbeatTicks)
    let seldom = (0..<40).map { UInt64($0) * (step + 1) }
    let most = (0..<UInt64(Limits.heartbeatTicks)).map { $0 }
    var (rhythm, other) = (Rhythm(), Rhythm())
    let found = [
      gathers(seldom, &rhythm), gathers(most, &other), gathers([100], &other), gathers((200..<300).map { $0 }, &other),
      gathers([99 + Limits.gatheringTime], &other), gathers(most.map { 100 + Limits.gatheringTime + $0 }, &other),
    ]
    #expect(found == [false, false, true, false, false, true])
  }

  @Test func pings() {
    var heart = Heartbeat(LinkSettings(), isFirst: true, now: 0)
    heart.sent(0)
    #expect(heart.step(Limits.pingTime - 1, .all) == .wait(until: Limits.pingTime))
    #expect(heart.step(Limits.pingTime, .all) == .ping)
    let end = Limits.pingTime + Limits.pongTime
    // Its system has acknowledged the ping, and it does not answer.
    #expect(heart.step(end - 1, .all) == .wait(until: end))
    #expect(heart.step(end, .all) == .lost)
  }

  @Test func lines() {
    var limiter = LogLimiter()
    for _ in 0..<Limits.logLinesPerMinute {
      let isWritten = limiter.admit(.unauthenticated, now: 0).write
      #expect(isWritten)
    }
    let isWritten = limiter.admit(.unauthenticated, now: 0).write
    #expect(!isWritten)
  }

  @Test func causes() {
    var limiter = LogLimiter()
    func admit(_ number: Int, now: UInt64) -> Bool {
      let hash = (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 * 8 % 64)) }
      return limiter.admit(.peer(DeviceID(hash: hash, check: [])), now: now).write
    }
    for number in 0..<Limits.logCauses { #expect(admit(number, now: 0)) }
    #expect(!admit(Limits.logCauses, now: 59_999))
    #expect(admit(0, now: 59_999))
    // Causes whose minute is over make room.
    #expect(admit(Limits.logCauses, now: 60_000))
  }

  /// A name may be longer than what is shown of it, and has its bound too.
  @Test func namesInAWelcome() throws {
    func read(_ count: Int) throws -> String {
      var payload = ByteBuffer()
      payload.writeInteger(UInt16(1))
      payload.writeInteger(UInt16(1))
      payload.writeInteger(UInt32(Limits.channelWindow))
      payload.writeInteger(UInt16(count))
      payload.writeString(String(repeating: "x", count: count))
      return try Welcome(payload).name
    }
    let longest = String(repeating: "x", count: Limits.titleAdvised)
    #expect(try read(Limits.titleAdvised) == longest)
    #expect(try read(Limits.titleAdvised + 1).utf8.count <= Limits.titleAdvised)
    #expect(try read(Limits.titleMaximum).utf8.count <= Limits.titleAdvised)
    let error = #expect(throws: SegueError.self) { _ = try read(Limits.titleMaximum + 1) }
    #expect(error?.code == .protocolViolation)
    // A name that is sent is within the bound of names that are shown.
    #expect(try Welcome(Welcome(window: Limits.channelWindow, name: longest).payload).name == longest)
    let sent = Welcome(window: Limits.channelWindow, name: longest + "x").payload
    #expect(sent.readableBytes <= Welcome(window: Limits.channelWindow, name: longest).payload.readableBytes)
  }

  /// The daemon's own settings are these bounds.
  @Test func settings() {
    let settings = LinkSettings()
    #expect(settings.queue == Limits.queuedBytes)
    #expect(settings.newcomerTime == Limits.newcomerTime)
  }
}
