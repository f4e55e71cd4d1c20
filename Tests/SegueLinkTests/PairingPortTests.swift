import NIOCore
import NIOSSL
import SegueCore
import Testing

@testable import SegueLink

/// Connections of two devices that pair.
@Suite struct PairingPortTests {
  private func connected(_ node: Node) throws -> (number: UInt64, key: [UInt8], other: [UInt8]) {
    var found: (UInt64, [UInt8], [UInt8])?
    _ = node.waitPairing { event in
      if case .connected(let number, _, let key, let other) = event { found = (number, key, other) }
      return found != nil
    }
    return try #require(found)
  }

  private func isClosed(_ node: Node, _ number: UInt64) -> Bool {
    node.waitPairing { $0 == .closed(number) } != nil
  }

  @Test func onlyThrowAwayKeysAreShown() throws {
    let (a, b) = (try Node(), try Node())
    defer { for node in [a, b] { node.stop() } }
    a.link.openPairing(true)
    b.link.openPairing(true)
    b.link.dialPairing([a.address])
    let (dialled, accepted) = (try connected(b), try connected(a))
    #expect(dialled.key == accepted.other && dialled.other == accepted.key)
    #expect(![dialled.key, dialled.other].contains(a.id.bytes) && ![dialled.key, dialled.other].contains(b.id.bytes))
    b.link.sendPairing([1, 2, 3], on: dialled.number)
    #expect(a.waitPairing { $0 == .received(accepted.number, [1, 2, 3]) } != nil)
    // A message that was sent before the end arrives.
    a.link.sendPairing([4], on: accepted.number)
    a.link.closePairing(accepted.number)
    #expect(b.waitPairing { $0 == .received(dialled.number, [4]) } != nil)
    #expect(isClosed(b, dialled.number))
  }

  @Test func attack13_whoDoesNotPairIsNotReached() throws {
    let (a, b) = (try Node(), try Node())
    defer { for node in [a, b] { node.stop() } }
    b.link.openPairing(true)
    b.link.dialPairing([a.address])
    #expect(b.waitPairing { if case .notReached = $0 { true } else { false } } != nil)
    #expect(a.told.isEmpty)
  }

  /// One address that answers is enough, and that none does is said once.
  @Test func allAddressesAreTried() throws {
    let (a, b) = (try Node(), try Node())
    defer { for node in [a, b] { node.stop() } }
    let dead = LinkAddress(host: "127.0.0.1", port: 1)
    b.link.openPairing(true)
    b.link.dialPairing([dead, a.address, dead])
    func isNotReached(_ event: PairingLinkEvent) -> Bool { if case .notReached = event { true } else { false } }
    #expect(b.waitPairing(isNotReached) != nil)
    a.link.openPairing(true)
    b.link.dialPairing([dead, a.address, dead])
    _ = try connected(b)
    #expect(b.told.compactMap { $0.pairing }.count { isNotReached($0) } == 1)
  }

  /// Each message is one frame; anything else ends the connection.
  @Test func aMessageThatIsTooLongIsNotSent() throws {
    let (a, b) = (try Node(), try Node())
    defer { for node in [a, b] { node.stop() } }
    a.link.openPairing(true)
    b.link.openPairing(true)
    b.link.dialPairing([a.address])
    let (dialled, accepted) = (try connected(b), try connected(a))
    b.link.sendPairing([UInt8](repeating: 0, count: Limits.frameLengthBeforeWelcome + 1), on: dialled.number)
    let longest = [UInt8](repeating: 1, count: Limits.frameLengthBeforeWelcome)
    b.link.sendPairing(longest, on: dialled.number)
    #expect(
      a.waitPairing { if case .received = $0 { true } else { false } } == .received(accepted.number, longest))
  }

  /// A device's own dial may come back to it: the digits would be those of this device with itself.
  @Test func attack11_aDeviceDoesNotPairWithItself() throws {
    let node = try Node()
    defer { node.stop() }
    node.link.openPairing(true)
    node.link.dialPairing([node.address])
    #expect(node.waitPairing { if case .notReached = $0 { true } else { false } } != nil)
    #expect(!node.told.contains { if case .pairing(.connected) = $0 { true } else { false } })
  }

  /// A device that pairs, made by hand.
  private func unauthenticated(_ node: Node, says frames: [Frame]) throws -> UnauthenticatedPeerTests.Client {
    let identity = try Identity.temporary()
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.certificateChain = [.certificate(identity.certificate)]
    tls.privateKey = .privateKey(identity.key)
    tls.certificateVerification = .noHostnameVerification
    tls.trustRoots = .certificates([])
    tls.applicationProtocols = [TLS.pairingALPN]
    var buffer = ByteBuffer()
    for frame in frames { frame.write(to: &buffer) }
    return try UnauthenticatedPeerTests.Client(
      port: node.port, tls: tls, name: TLS.pairingName, say: Array(buffer: buffer))
  }

  @Test(arguments: ["another kind", "a channel"]) func attack7_whatIsNoMessageEndsAPairing(_ how: String) throws {
    let node = try Node()
    node.link.openPairing(true)
    defer { node.stop() }
    let message = ByteBuffer(bytes: [1, 2, 3])
    let wrong =
      how == "a channel" ? Frame(kind: .control, channel: 1, payload: message) : Frame(kind: .welcome, payload: message)
    let client = try unauthenticated(node, says: [Frame(kind: .control, payload: message), wrong])
    defer { client.stop() }
    let number = try connected(node).number
    #expect(isClosed(node, number))
    // The one before it was taken.
    let received = node.told.filter { if case .pairing(.received) = $0 { true } else { false } }
    #expect(received == [.pairing(.received(number, [1, 2, 3]))])
  }

  @Test func attack8_aSignatureOfSomethingElseIsNobodys() throws {
    let identity = try Identity.temporary()
    let signature = try #require(identity.signature(of: [1, 2, 3]))
    let key = identity.publicKeyInfo
    #expect(Identity.device(key: key, signature: signature, of: [1, 2, 3]) == identity.id)
    #expect(Identity.device(key: key, signature: signature, of: [1, 2, 4]) == nil)
    #expect(Identity.device(key: try Identity.temporary().publicKeyInfo, signature: signature, of: [1, 2, 3]) == nil)
    #expect(Identity.device(key: [1], signature: signature, of: [1, 2, 3]) == nil)
    #expect(Identity.device(key: key, signature: [], of: [1, 2, 3]) == nil)
  }

  @Test func attack12_connectionsThatAreHeldAreBounded() throws {
    let (a, b) = (try Node(), try Node())
    defer { for node in [a, b] { node.stop() } }
    a.link.openPairing(true)
    b.link.openPairing(true)
    for _ in 0..<Limits.pairingConnectionsHeld {
      b.link.dialPairing([a.address])
      _ = try connected(b)
      _ = try connected(a)
    }
    b.link.dialPairing([a.address])
    let last = try connected(b)
    #expect(isClosed(b, last.number))
    let taken = a.told.count { if case .pairing(.connected) = $0 { true } else { false } }
    #expect(taken == Limits.pairingConnectionsHeld)
  }
}
