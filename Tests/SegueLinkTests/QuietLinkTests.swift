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
      try #require(a.wait(0.05) { if case .down = $0 { true } else { false } } == nil)
    }
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

  /// The end of a connection wakes, though it has no bytes.
  @Test func anEndWakes() throws {
    let (a, b) = try pair(settings: Self.settings)
    defer { b.stop() }
    try rest(a, b)
    a.stop()
    #expect(b.waitDown() != nil)
  }
}
