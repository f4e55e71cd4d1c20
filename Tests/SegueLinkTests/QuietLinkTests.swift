import SegueCore
import Testing

@testable import SegueLink

/// Heartbeats of an idle link, which wake nobody, and everything else, which does.
@Suite(.serialized) struct QuietLinkTests {
  private static var settings: LinkSettings {
    var settings = LinkSettings.quick
    settings.heartbeatTime = 200
    settings.silenceTime = 1_000
    return settings
  }

  private static func isQuiet(_ node: Node, to other: Node) throws -> Bool {
    try node.link.traffic(with: other.id) { $0.isQuiet }
  }

  /// Waits until both sides have received a heartbeat, and nothing else since.
  private func rest(_ a: Node, _ b: Node) throws {
    while try !Self.isQuiet(a, to: b) || !Self.isQuiet(b, to: a) {
      try stays(a)
    }
  }

  private func stays(_ node: Node) throws {
    try #require(node.wait(0.05) { if case .down = $0 { true } else { false } } == nil)
  }

  @Test func X10_anIdleLinkIsQuietAndLives() throws {
    let (a, b) = try pair(settings: Self.settings)
    defer {
      a.stop()
      b.stop()
    }
    try rest(a, b)
    // Three times the silence after which a side is lost whose heartbeats are not found.
    #expect(a.wait(4) { if case .down = $0 { true } else { false } } == nil)
    #expect(try Self.isQuiet(a, to: b) && Self.isQuiet(b, to: a))
  }

  @Test func theLeastMessageWakes() throws {
    let (a, b) = try pair(settings: Self.settings)
    defer {
      a.stop()
      b.stop()
    }
    try rest(a, b)
    a.link.sendControl([1], to: b.id)
    #expect(b.wait { $0 == .control(a.id, [1]) } != nil)
    try rest(a, b)
    b.link.sendControl([2], to: a.id)
    #expect(a.wait { $0 == .control(b.id, [2]) } != nil)
  }

  /// A channel's end is as short as a heartbeat.
  @Test func aLinkWithAChannelIsNotQuiet() throws {
    let (a, b) = try pair(settings: Self.settings)
    defer {
      a.stop()
      b.stop()
    }
    try rest(a, b)
    let id = a.link.openChannel(to: b.id, first: [])
    #expect(b.wait { if case .channelOpened = $0 { true } else { false } } != nil)
    #expect(a.wait(2) { if case .down = $0 { true } else { false } } == nil)
    #expect(try !Self.isQuiet(a, to: b) && !Self.isQuiet(b, to: a))
    a.link.reset(id, .userCancelled)
    try rest(a, b)
  }

  /// The last bytes of a message may come by themselves, and be fewer than a heartbeat has.
  @Test func theEndOfAMessageWakesAndThatOfAConnection() throws {
    var settings = Self.settings
    settings.silenceTime = 30_000
    settings.heartbeatTime = 29_000
    let a = try Node(settings: Self.settings)
    // Without heartbeats of its own that would have it look, but for those of the other side.
    let b = try Node(settings: settings)
    let relay = try Relay(to: b.port)
    defer {
      a.stop()
      b.stop()
      relay.stop()
    }
    b.link.setPeers([LinkPeer(id: a.id, addresses: [])])
    a.link.setPeers([LinkPeer(id: b.id, addresses: [LinkAddress(host: "127.0.0.1", port: relay.port)])])
    try #require(a.waitUp())
    try #require(b.waitUp())
    while try !Self.isQuiet(b, to: a) { try stays(b) }
    let message = [UInt8](repeating: 7, count: 100)
    relay.splits = true
    a.link.sendControl(message, to: b.id)
    while try Self.isQuiet(b, to: a) { try stays(b) }
    try relay.release()
    #expect(b.wait(10) { $0 == .control(a.id, message) } != nil)
    // An end without a byte.
    while try !Self.isQuiet(b, to: a) { try stays(b) }
    try relay.cut()
    #expect(b.waitDown(10) != nil)
  }

  /// A former version's ping is as short as a heartbeat.
  @Test func aPeerThatIsNotDistinctWakes() throws {
    let a = try Node(settings: Self.settings)
    let b = try Node(settings: Self.settings)
    defer {
      a.stop()
      b.stop()
    }
    try a.link.playsFormerVersion()
    b.link.setPeers([LinkPeer(id: a.id, addresses: [])])
    a.link.setPeers([LinkPeer(id: b.id, addresses: [b.address])])
    try #require(a.waitUp())
    try #require(b.waitUp())
    while try !Self.isQuiet(a, to: b) { try stays(a) }
    #expect(a.wait(2) { if case .down = $0 { true } else { false } } == nil)
    #expect(try !Self.isQuiet(b, to: a))
  }

  /// Data may wait longer for its acknowledgement than a heartbeat.
  @Test func onlyAHeartbeatIsWatched() throws {
    let (a, b) = try pair(settings: Self.settings)
    defer {
      a.stop()
      b.stop()
    }
    try rest(a, b)
    while try !a.link.traffic(with: b.id, { $0.isWatched }) { try stays(a) }
    a.link.sendControl([1], to: b.id)
    #expect(try !a.link.traffic(with: b.id) { $0.isWatched })
    #expect(b.wait { $0 == .control(a.id, [1]) } != nil)
  }

  /// The end of a connection wakes, though it has no bytes.
  @Test func anEndWakes() throws {
    let (a, b) = try pair(settings: Self.settings)
    defer { b.stop() }
    try rest(a, b)
    a.stop()
    #expect(b.waitDown() != nil)
  }
}
