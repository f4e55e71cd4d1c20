import Foundation
import NIOCore
import NIOPosix
import SegueCore
import Testing

@testable import SegueLink

/// Two links that know each other by proofs, and a probe of what discovery has found.
@Suite(.serialized) struct RecognitionTests {
  /// `node` dials the other one through a relay, which counts.
  private func dial(_ node: Node, _ relay: Relay, _ other: DeviceID) {
    node.link.setPeers([LinkPeer(id: other, addresses: [LinkAddress(host: "127.0.0.1", port: relay.port)])])
  }

  /// A dial that a busy machine holds up is not joined by the next one, which would be counted too.
  private static var patient: LinkSettings {
    var settings = LinkSettings.quick
    settings.dialTime = 4_000
    settings.lastingTime = 0
    return settings
  }

  private func isProbed(_ event: LinkEvent) -> Bool { if case .probed = event { true } else { false } }

  /// The first connection brings the nonce. The dialling device remembers it: the next dial needs one connection, and
  /// two again once the other device has forgotten it. It makes no difference which side chooses between links.
  @Test(arguments: [true, false]) func whoKnowsANonceNeedsOneConnection(_ chooses: Bool) throws {
    var (mine, theirs) = (try Identity.temporary(), try Identity.temporary())
    if (mine.id < theirs.id) != chooses { swap(&mine, &theirs) }
    let (a, b) = (try Node(identity: mine, settings: Self.patient), try Node(identity: theirs))
    let relay = try Relay(to: b.port)
    defer {
      a.stop()
      relay.stop()
    }
    b.link.setPeers([LinkPeer(id: a.id, addresses: [])])
    dial(a, relay, b.id)
    try #require(a.waitUp())
    #expect(try relay.count() == 2)
    for count in 3...4 {
      try relay.cut()
      try #require(a.waitDown() != nil)
      try #require(a.waitUp())
      #expect(try relay.count() == count)
    }
    // Its secret is another one after a start.
    let port = b.port
    b.stop()
    try #require(a.waitDown() != nil)
    let again = try Node(identity: theirs, port: port)
    defer { again.stop() }
    again.link.setPeers([LinkPeer(id: a.id, addresses: [])])
    try #require(a.waitUp())
    let before = try relay.count()
    try relay.cut()
    try #require(a.waitDown() != nil)
    try #require(a.waitUp())
    #expect(try relay.count() == before + 1)
  }

  /// A nonce that discovery has published serves a dial too, until the second one after it.
  @Test func anOldNonceCostsAConnection() throws {
    let (a, b) = (try Node(settings: Self.patient), try Node())
    let relay = try Relay(to: b.port)
    defer {
      a.stop()
      b.stop()
      relay.stop()
    }
    let nonces = (0..<4).map { _ in Identity.random(Proof.nonceLength) }
    b.link.publish(nonce: nonces[0])
    b.link.setPeers([LinkPeer(id: a.id, addresses: [])])
    a.link.setPeers([LinkPeer(id: b.id, addresses: [])])
    a.link.probe(1, at: LinkAddress(host: "127.0.0.1", port: relay.port), nonce: nonces[0])
    try #require(a.waitUp())
    #expect(try relay.count() == 1)
    dial(a, relay, b.id)
    for (published, count) in [([nonces[1]], 2), (Array(nonces[2...]), 4)] {
      for nonce in published { b.link.publish(nonce: nonce) }
      try relay.cut()
      try #require(a.waitDown() != nil)
      try #require(a.waitUp())
      #expect(try relay.count() == count)
    }
  }

  @Test func bothDialAndBothKnowEachOther() throws {
    let (a, b) = (try Node(), try Node())
    defer {
      a.stop()
      b.stop()
    }
    a.link.setPeers([LinkPeer(id: b.id, addresses: [b.address])])
    b.link.setPeers([LinkPeer(id: a.id, addresses: [a.address])])
    try #require(a.waitUp())
    try #require(b.waitUp())
    a.link.sendControl([1], to: b.id)
    #expect(b.wait { $0 == .control(a.id, [1]) } != nil)
  }

  /// A nonce that was learned in one network is not sent in another.
  @Test func attack19_aNonceDoesNotGoIntoAnotherNetwork() throws {
    let (a, b) = (try Node(settings: Self.patient), try Node())
    let relay = try Relay(to: b.port)
    defer {
      a.stop()
      b.stop()
      relay.stop()
    }
    b.link.setPeers([LinkPeer(id: a.id, addresses: [])])
    dial(a, relay, b.id)
    try #require(a.waitUp())
    a.link.redial()
    try a.link.isHere()
    try relay.cut()
    try #require(a.waitDown() != nil)
    try #require(a.waitUp())
    let count = try relay.count()
    #expect(count == 4)
  }

  /// A found device is known by one connection, whichever of the paired ones it is, and linked with.
  @Test func aProbeFindsWhoIsThere() throws {
    let a = try Node()
    let others = try (0..<Limits.proofTokens).map { _ in try Node() }
    let stranger = try Node()
    let nodes = [a, stranger] + others
    defer { for node in nodes { node.stop() } }
    let nonce = Identity.random(Proof.nonceLength)
    for node in nodes { node.link.publish(nonce: nonce) }
    for other in others { other.link.setPeers([LinkPeer(id: a.id, addresses: [])]) }
    a.link.setPeers(others.map { LinkPeer(id: $0.id, addresses: []) })
    a.link.probe(7, at: stranger.address, nonce: nonce)
    #expect(a.wait(60, isProbed) == .probed(7, nil))
    for (number, other) in zip(UInt64(10)..., others) {
      let relay = try Relay(to: other.port)
      defer { relay.stop() }
      let address = LinkAddress(host: "127.0.0.1", port: relay.port)
      a.link.probe(number, at: address, nonce: nonce)
      #expect(a.wait(60, isProbed) == .probed(number, other.id))
      #expect(a.wait { if case .up(other.id, _, _) = $0 { true } else { false } } != nil)
      #expect(a.wait { $0 == .reached(other.id, address) } != nil)
      #expect(other.waitUp())
      #expect(try relay.count() == 1)
    }
    // There is nobody left to look for.
    a.link.probe(100, at: stranger.address, nonce: nonce)
    #expect(a.wait(60, isProbed) == .probed(100, nil))
    #expect(a.all.count(where: isProbed) == others.count + 2)
  }

  /// It may be found again and again: it is not dialled each time.
  @Test func attack5_whoLeavesALinkAtOnceIsNotLookedForAtOnce() throws {
    var settings = LinkSettings.quick
    settings.dialTime = 60_000
    let (a, b) = (try Node(settings: settings), try Node())
    let relay = try Relay(to: b.port)
    defer {
      a.stop()
      b.stop()
      relay.stop()
    }
    let nonce = Identity.random(Proof.nonceLength)
    b.link.publish(nonce: nonce)
    b.link.setPeers([LinkPeer(id: a.id, addresses: [])])
    a.link.setPeers([LinkPeer(id: b.id, addresses: [])])
    let address = LinkAddress(host: "127.0.0.1", port: relay.port)
    a.link.probe(1, at: address, nonce: nonce)
    try #require(a.waitUp())
    try relay.cut()
    try #require(a.waitDown() != nil)
    for number in UInt64(2)...100 {
      a.link.probe(number, at: address, nonce: nonce)
      #expect(a.wait(60, isProbed) == .probed(number, nil))
    }
    #expect(try relay.count() == 1)
  }

  @Test func aProbeThatComesToNothingSaysSoOnce() throws {
    let (a, b) = (try Node(), try Node())
    let gone = try Node()
    gone.stop()
    defer {
      a.stop()
      b.stop()
    }
    let nonce = Identity.random(Proof.nonceLength)
    b.link.publish(nonce: nonce)
    a.link.setPeers([LinkPeer(id: b.id, addresses: [])])
    // The cases: no device is there; the device does not know this one; the nonce is another device's, or none.
    a.link.probe(1, at: gone.address, nonce: nonce)
    #expect(a.wait(60, isProbed) == .probed(1, nil))
    a.link.probe(2, at: b.address, nonce: nonce)
    #expect(a.wait(60, isProbed) == .probed(2, nil))
    b.link.setPeers([LinkPeer(id: a.id, addresses: [])])
    a.link.probe(3, at: b.address, nonce: Identity.random(Proof.nonceLength))
    #expect(a.wait(60, isProbed) == .probed(3, nil))
    a.link.probe(4, at: b.address, nonce: [1])
    #expect(a.wait(60, isProbed) == .probed(4, nil))
    a.link.probe(5, at: b.address, nonce: nonce)
    #expect(a.wait(60, isProbed) == .probed(5, b.id))
    #expect(a.waitUp())
    #expect(a.all.count(where: isProbed) == 5)
  }

  /// A peer that is linked already, or beyond the number that a probe can look for, is not accepted when it answers.
  @Test func attack10_aProbeTakesNobodyWhomItDoesNotLookFor() throws {
    let (a, b) = try pair()
    let listener = try Listener(b.identity)
    defer {
      a.stop()
      b.stop()
      listener.stop()
    }
    let other = try Identity.temporary().id
    a.link.setPeers([LinkPeer(id: b.id, addresses: []), LinkPeer(id: other, addresses: [])])
    a.link.probe(1, at: listener.address, nonce: Identity.random(Proof.nonceLength))
    #expect(a.wait(60, isProbed) == .probed(1, nil))
    a.link.sendControl([1], to: b.id)
    #expect(b.wait { $0 == .control(a.id, [1]) } != nil)
  }

  /// The other end of a dial, with a key of its choice. It tells which certificate it was shown.
  private final class Listener: Sendable {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channel: any Channel
    private let changed = NSCondition()
    // Under the condition's lock.
    nonisolated(unsafe) private var ended = 0
    nonisolated(unsafe) private var shown: [DeviceID] = []

    private final class End: ChannelInboundHandler {
      typealias InboundIn = ByteBuffer
      let ended: () -> Void
      init(_ ended: @escaping () -> Void) { self.ended = ended }
      func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
      func channelInactive(context: ChannelHandlerContext) { ended() }
    }

    var address: LinkAddress {
      LinkAddress(host: "127.0.0.1", port: UInt16(channel.localAddress?.port ?? 0))
    }

    /// Waits until so many connections have ended and so many certificates were shown, or for a minute. Returns the ids
    /// of the certificates that were shown.
    func wait(ended: Int = 0, shown: Int = 0) -> [DeviceID]? {
      let end = Date(timeIntervalSinceNow: 60)
      return changed.withLock {
        while self.ended < ended || self.shown.count < shown {
          guard changed.wait(until: end) else { return nil }
        }
        return self.shown
      }
    }

    private func change(_ body: () -> Void) {
      changed.withLock {
        body()
        changed.broadcast()
      }
    }

    init(_ identity: Identity) throws {
      let box = Box()
      channel = try ServerBootstrap(group: group)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandlers([
              try TLS.server(
                TLS.Purpose(), shown: { _ in (.none, identity) },
                accepts: { id in
                  if let listener = box.listener { listener.change { listener.shown.append(id) } }
                  return true
                }), End { if let listener = box.listener { listener.change { listener.ended += 1 } } },
            ])
          }
        }
        .bind(host: "127.0.0.1", port: 0).wait()
      box.listener = self
    }

    private final class Box: @unchecked Sendable { weak var listener: Listener? }

    func stop() { try? group.syncShutdownGracefully() }
  }

  /// A ephemeral certificate is answered with nothing that tells who dials, be it asked for a nonce or not.
  @Test(arguments: ["ephemeral", "another peer's", "the peer's"])
  func attack19_theCertificateOfWhoDialsIsNotShownToAnybodyElse(_ what: String) throws {
    let peer = try Identity.temporary()
    let identity =
      switch what {
      case "ephemeral": try EphemeralCertificate.identity(nonce: Identity.random(Proof.nonceLength))
      case "another peer's": try Identity.temporary()
      default: peer
      }
    let listener = try Listener(identity)
    let node = try Node()
    defer {
      node.stop()
      listener.stop()
    }
    // If an id is there twice, the last entry counts.
    node.link.setPeers([
      LinkPeer(id: identity.id, addresses: []), LinkPeer(id: peer.id, addresses: [listener.address]),
    ])
    if what == "the peer's" {
      #expect(listener.wait(shown: 1)?.first == node.id)
    } else {
      #expect(node.wait { $0 == .unreached(peer.id, isSilent: false) } != nil)
      // Two dials at least are over on that side too.
      #expect(listener.wait(ended: 3) == [])
    }
  }
}
