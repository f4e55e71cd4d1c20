import Foundation
import SegueCore
import SegueLink
import Testing

/// Links that come, go, cross and die.
@Suite(.serialized) struct PeerTests {
  /// Attack 16.
  @Test func removedPeerIsDownOnBothSides() throws {
    let (a, b) = try pair()
    defer {
      a.stop()
      b.stop()
    }
    let id = a.link.openChannel(to: b.id, first: [])
    #expect(b.wait { if case .channelOpened = $0 { true } else { false } } != nil)
    a.link.setPeers([])
    #expect(a.waitClosed(id)??.code == .accessDenied)
    #expect(a.waitDown()?.code == .accessDenied)
    #expect(b.waitDown()?.code == .accessDenied)
  }

  @Test func unpairedClientIsRefused() throws {
    let a = try Node()
    let b = try Node()
    defer {
      a.stop()
      b.stop()
    }
    a.link.setPeers([LinkPeer(id: b.id, addresses: [b.address])])
    #expect(!a.waitUp(0.5))
    #expect(b.all.isEmpty)
    // Paired later, the next dial succeeds.
    b.link.setPeers([LinkPeer(id: a.id, addresses: [])])
    #expect(a.waitUp())
  }

  /// Another key at a known address.
  @Test func attack10_wrongKeyAtTheAddress() throws {
    let (a, b) = try pair()
    let stranger = try Node()
    defer {
      a.stop()
      b.stop()
      stranger.stop()
    }
    let other = try Identity.temporary().id
    stranger.link.setPeers([LinkPeer(id: a.id, addresses: [])])
    a.link.setPeers([
      LinkPeer(id: b.id, addresses: [b.address]), LinkPeer(id: other, addresses: [stranger.address]),
    ])
    #expect(!a.waitUp(0.5))
    #expect(stranger.reached.isEmpty)
    // The live link is as it was.
    a.link.sendControl([1], to: b.id)
    #expect(b.wait { $0 == .control(a.id, [1]) } != nil)
  }

  /// A paired device's key at another one's address.
  @Test func attack10_anotherPairedDeviceAtTheAddress() throws {
    let a = try Node()
    let c = try Node()
    defer {
      a.stop()
      c.stop()
    }
    c.link.setPeers([LinkPeer(id: a.id, addresses: [])])
    let b = try Identity.temporary().id
    a.link.setPeers([LinkPeer(id: b, addresses: [c.address]), LinkPeer(id: c.id, addresses: [])])
    #expect(!a.waitUp(0.5))
    #expect(c.reached.isEmpty)
    a.link.setPeers([LinkPeer(id: b, addresses: []), LinkPeer(id: c.id, addresses: [c.address])])
    #expect(a.waitUp())
  }

  @Test func neverDialsItself() throws {
    let a = try Node()
    defer { a.stop() }
    a.link.setPeers([LinkPeer(id: a.id, addresses: [a.address])])
    #expect(!a.waitUp(0.3))
    #expect(a.all.isEmpty)
  }

  /// Crossing dials, again and again: one link, one `up` on each side, and no message lost.
  @Test func crossingDialsLeaveOneLink() throws {
    for _ in 0..<25 {
      let a = try Node()
      let b = try Node()
      defer {
        a.stop()
        b.stop()
      }
      a.link.setPeers([LinkPeer(id: b.id, addresses: [b.address])])
      b.link.setPeers([LinkPeer(id: a.id, addresses: [a.address])])
      #expect(a.waitUp())
      a.link.sendControl([1], to: b.id)
      #expect(b.waitUp())
      b.link.sendControl([2], to: a.id)
      #expect(b.wait { $0 == .control(a.id, [1]) } != nil)
      #expect(a.wait { $0 == .control(b.id, [2]) } != nil)
      // Crossing connections are settled before these messages arrive.
      a.link.redial()
      b.link.redial()
      for number in 0..<20 {
        a.link.sendControl([3, UInt8(number)], to: b.id)
        #expect(b.wait { $0 == .control(a.id, [3, UInt8(number)]) } != nil)
      }
      for node in [a, b] {
        #expect(node.all.count { if case .up = $0 { true } else { false } } == 1)
        #expect(node.all.count { if case .down = $0 { true } else { false } } == 0)
      }
    }
  }

  @Test func reconnectsAfterRestart() throws {
    let (a, b) = try pair()
    defer { a.stop() }
    let port = b.port
    b.stop()
    #expect(a.waitDown() != nil)
    let again = try Node(identity: b.identity, port: port)
    defer { again.stop() }
    again.link.setPeers([LinkPeer(id: a.id, addresses: [])])
    #expect(again.waitUp())
    #expect(a.waitUp())
    #expect(a.link.openChannel(to: b.id, first: []) != a.link.openChannel(to: b.id, first: []))
  }

  /// X10: a network that swallows everything.
  @Test(arguments: [false, true]) func blackHoleIsNoticed(withTraffic: Bool) throws {
    var settings = LinkSettings.quick
    settings.heartbeatTime = 200
    settings.silenceTime = 2_000
    settings.pingTime = 200
    settings.pongTime = 2_000
    // Dials into the black hole end before long.
    settings.handshakeTime = 1_000
    let a = try Node(settings: settings)
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
    // An idle link stays: each heartbeat comes before the silence is too long.
    let heartbeats = relay.reads + 3
    while relay.reads < heartbeats { try #require(a.wait(0.1) { if case .down = $0 { true } else { false } } == nil) }
    relay.isBlackHole = true
    if withTraffic {
      let id = a.link.openChannel(to: b.id, first: [])
      a.link.send([UInt8](repeating: 0, count: 1 << 20), on: id)
    }
    #expect(a.waitDown()?.code == .connectionUnavailable)
    #expect(b.waitDown()?.code == .connectionUnavailable)
    relay.isBlackHole = false
    #expect(a.waitUp())
    #expect(b.waitUp())
  }

  /// A peer that lost its end (here: behind a relay that swallows the end) dials anew: its new link replaces the dead
  /// one long before a ping would notice.
  @Test func newLinkReplacesADeadOne() throws {
    var settings = LinkSettings.quick
    settings.duplicateTime = 200
    // Both orders of the keys: the one that chooses, and the one that does not.
    var orders: Set<Bool> = []
    while orders.count < 2 {
      let a = try Node(settings: settings)
      let b = try Node(settings: settings)
      guard orders.insert(a.id < b.id).inserted else {
        a.stop()
        b.stop()
        continue
      }
      let relay = try Relay(to: b.port)
      defer {
        a.stop()
        b.stop()
        relay.stop()
      }
      b.link.setPeers([LinkPeer(id: a.id, addresses: [])])
      a.link.setPeers([LinkPeer(id: b.id, addresses: [LinkAddress(host: "127.0.0.1", port: relay.port)])])
      try #require(b.waitUp())
      try #require(a.waitUp())
      relay.isBlackHole = true
      a.stop()
      let again = try Node(identity: a.identity, settings: settings)
      defer { again.stop() }
      again.link.setPeers([LinkPeer(id: b.id, addresses: [b.address])])
      #expect(again.waitUp())
      #expect(b.waitDown() != nil)
      #expect(b.waitUp())
      again.link.sendControl([1], to: b.id)
      #expect(b.wait { $0 == .control(a.id, [1]) } != nil)
    }
  }
}
