import Crypto
import SegueCore
import Testing

@testable import SegueLink

/// The callers that are shown the certificate, and those that get an ephemeral one.
@Suite struct RecognizerTests {
  private let own = DeviceID(publicKeyInfo: [0])
  private let friend = DeviceID(publicKeyInfo: [1])
  private let period: UInt64 = 1_000

  private func recognizer(_ peers: [DeviceID]? = nil) -> Recognizer {
    var recognizer = Recognizer(own: own, period: period)
    recognizer.setPeers(peers ?? [friend])
    return recognizer
  }

  private func proof(_ nonce: [UInt8], of device: DeviceID? = nil, to other: DeviceID? = nil) -> String {
    Proof(of: device ?? friend, to: other ?? own, server: nonce).name
  }

  @Test func aProofIsKnownOnceWhateverTheOrderOfTheIDs() throws {
    for (one, other) in [(own, friend), (friend, own)] {
      var recognizer = Recognizer(own: one, period: period)
      recognizer.setPeers([other])
      let nonce = recognizer.nonce(at: 5)
      #expect(recognizer.caller(proof(nonce, of: other, to: one), at: 6) == .device(other))
      // A nonce serves several dials.
      #expect(recognizer.caller(proof(nonce, of: other, to: one), at: 6) == .device(other))
    }
  }

  /// As docs/link-protocol.md has it; the numbers are of another implementation.
  @Test func aProofIsAsTheProtocolSays() throws {
    let (one, other) = (try #require(DeviceID(bytes: .init(0..<32))), try #require(DeviceID(bytes: .init(32..<64))))
    let (server, mine) = ([UInt8](repeating: 7, count: 16), [UInt8](repeating: 9, count: 16))
    let token = Proof.token(Proof.key(other, one), to: other, server: server, own: mine)
    let name = Proof(server: server, own: mine, tokens: [token]).name
    #expect(name == "a4dqobyha4dqobyha4dqobyha4.beeqscijbeeqscijbeeqscijbe.t3aq4mbqqaiiu.segue.invalid")
    #expect(Proof(name: name) == Proof(server: server, own: mine, tokens: [token]))
  }

  @Test func attack19_whoProvesNothingIsUnknown() {
    var recognizer = recognizer()
    let nonce = recognizer.nonce(at: 0)
    let good = proof(nonce)
    let labels = good.split(separator: ".").map(String.init)
    let noToken = "\(labels[0]).\(labels[1])"
    let wrong: [String?] = [
      nil, "", ".", "segue.invalid", ".segue.invalid", "pair.segue.invalid", "a.b.c.segue.invalid",
      good.replacing("segue.invalid", with: "example.org"), "\(good).", "a.\(good)", ".\(good)",
      labels.dropFirst().joined(separator: "."), "\(noToken).segue.invalid", "\(noToken)..segue.invalid",
      good.replacing(".segue", with: ".segue.segue"), good.replacing(labels[2], with: "\(labels[2])\(labels[2])"),
      String(repeating: "a", count: 10_000), String(repeating: ".", count: 253),
    ]
    for name in wrong { #expect(recognizer.caller(name, at: 0) == .unknown, "\(name ?? "")") }
    #expect(recognizer.caller(good, at: 0) == .device(friend))
  }

  @Test func attack19_aTokenOfAnotherIsNone() {
    let other = DeviceID(publicKeyInfo: [2])
    var recognizer = recognizer([friend, DeviceID(publicKeyInfo: [3])])
    let nonce = recognizer.nonce(at: 0)
    #expect(recognizer.caller(proof(nonce, of: other), at: 0) == .unauthenticated)
    #expect(recognizer.caller(proof(nonce, to: other), at: 0) == .unauthenticated)
    // A token that this device has sent itself is no proof to it.
    #expect(recognizer.caller(proof(nonce, of: own, to: friend), at: 0) == .unauthenticated)
    let right = proof(nonce)
    #expect(recognizer.caller(right, at: 0) == .device(friend))
    // Nor is another's nonce with the same token.
    let labels = right.split(separator: ".").map(String.init)
    let fresh = ([Base32.text(recognizer.nonce(at: 0))] + labels.dropFirst()).joined(separator: ".")
    #expect(recognizer.caller(fresh, at: 0) == .unauthenticated)
  }

  @Test func attack19_whatWasSaidOnceIsNoProofAgain() {
    var recognizer = recognizer()
    let published = Identity.random(Proof.nonceLength)
    recognizer.publish(published)
    for nonce in [recognizer.nonce(at: 0), published] {
      let name = proof(nonce)
      #expect(recognizer.caller(name, at: 0) == .device(friend))
      #expect(recognizer.caller(name, at: 0) == .unauthenticated)
      let capitals = name.uppercased().replacing(".SEGUE.INVALID", with: ".segue.invalid")
      #expect(recognizer.caller(capitals, at: 0) == .unauthenticated)
      // In the next period too.
      #expect(recognizer.caller(name, at: period) == .unauthenticated)
      // Published again, it has been said all the same.
      recognizer.publish(published)
      #expect(recognizer.caller(name, at: period) == .unauthenticated)
    }
  }

  @Test func attack19_aRemovedDeviceIsAStranger() {
    var recognizer = recognizer()
    let nonce = recognizer.nonce(at: 0)
    recognizer.setPeers([])
    #expect(recognizer.caller(proof(nonce), at: 0) == .unauthenticated)
    recognizer.setPeers([friend])
    #expect(recognizer.caller(proof(nonce), at: 0) == .device(friend))
  }

  @Test func attack19_aNonceCountsForTwoPeriodsAtMost() {
    // Made at the beginning of a period, and at its end.
    for (made, last) in [(UInt64(0), 2 * period - 1), (period - 1, 2 * period - 1), (period, 3 * period - 1)] {
      var recognizer = recognizer()
      _ = recognizer.nonce(at: 0)
      let nonce = recognizer.nonce(at: made)
      #expect(recognizer.caller(proof(nonce), at: last) == .device(friend))
      #expect(recognizer.caller(proof(nonce), at: last + 1) == .unknown)
    }
    // No caller has come for a long time.
    var recognizer = recognizer()
    let nonce = recognizer.nonce(at: 0)
    #expect(recognizer.caller(proof(nonce), at: 2 * period) == .unknown)
  }

  @Test func attack19_aNonceThatNobodyGaveOutIsNone() {
    var (recognizer, other) = (recognizer(), recognizer())
    let nonce = recognizer.nonce(at: 0)
    for index in nonce.indices {
      var wrong = nonce
      wrong[index] ^= 1
      #expect(recognizer.caller(proof(wrong), at: 0) == .unknown)
    }
    #expect(recognizer.caller(proof(other.nonce(at: 0)), at: 0) == .unknown)
    #expect(recognizer.caller(proof(.init(repeating: 0, count: Proof.nonceLength)), at: 0) == .unknown)
  }

  @Test func theFormerPublishedNonceCountsToo() {
    var recognizer = recognizer()
    let nonces = (0..<3).map { _ in Identity.random(Proof.nonceLength) }
    for nonce in nonces { recognizer.publish(nonce) }
    recognizer.publish([1, 2, 3])
    #expect(recognizer.caller(proof(nonces[0]), at: 0) == .unknown)
    #expect(recognizer.caller(proof(nonces[1]), at: 0) == .device(friend))
    #expect(recognizer.caller(proof(nonces[2]), at: 10 * period) == .device(friend))
  }

  @Test func attack19_noncesAreUsedSoOften() {
    var recognizer = recognizer()
    let published = Identity.random(Proof.nonceLength)
    recognizer.publish(published)
    let signed = recognizer.nonce(at: 0)
    for nonce in [signed, published] {
      let first = proof(nonce)
      #expect(recognizer.caller(first, at: 0) == .device(friend))
      for _ in 1..<Limits.nonceUses { #expect(recognizer.caller(proof(nonce), at: 0) == .device(friend)) }
      #expect(recognizer.caller(proof(nonce), at: 0) == .unknown)
      #expect(recognizer.caller(first, at: 0) == .unknown)
      recognizer.publish(published)
      #expect(recognizer.caller(proof(nonce), at: 0) == .unknown)
      // A caller that gets a nonce now is not affected.
      #expect(recognizer.caller(proof(recognizer.nonce(at: 0)), at: 0) == .device(friend))
    }
  }

  @Test func aProofHasSoManyTokens() throws {
    let others = (10..<UInt8(10 + Limits.proofTokens)).map { DeviceID(publicKeyInfo: [$0]) }
    let nonce = Identity.random(Proof.nonceLength)
    // It does not tell how many devices are looked for.
    for count in [1, Limits.proofTokens, Limits.proofTokens + 5] {
      let wanted = Array((others + others).prefix(count))
      let name = Proof(of: friend, toAnyOf: wanted, server: nonce).name
      #expect(Proof(name: name)?.tokens.count == Limits.proofTokens)
      #expect(name.utf8.count <= 253 && name.split(separator: ".").allSatisfy { $0.utf8.count <= 63 })
    }
    for own in others {
      var recognizer = Recognizer(own: own, period: period)
      recognizer.setPeers([friend])
      recognizer.publish(nonce)
      #expect(recognizer.caller(Proof(of: friend, toAnyOf: others, server: nonce).name, at: 0) == .device(friend))
      // A caller that looks for another device does not count as an unauthenticated peer that has failed.
      let rest = others.filter { $0 != own }
      #expect(recognizer.caller(Proof(of: friend, toAnyOf: rest, server: nonce).name, at: 0) == .unknown)
      var tokens = try #require(Proof(name: Proof(of: friend, toAnyOf: others, server: nonce).name)).tokens
      tokens.append([1, 2, 3, 4, 5, 6, 7, 8])
      let longer = Proof(server: nonce, own: Identity.random(Proof.nonceLength), tokens: tokens)
      #expect(recognizer.caller(longer.name, at: 0) == .unknown)
      #expect(Proof(name: longer.name) == nil)
    }
  }

  @Test func aThrowAwayCertificateCarriesItsNonce() throws {
    let (one, other) = ([UInt8](repeating: 0xff, count: 16), [UInt8](repeating: 0, count: 16))
    for nonce in [one, other] {
      let identity = try EphemeralCertificate.identity(nonce: nonce)
      #expect(EphemeralCertificate.nonce(in: identity.certificate) == nonce)
      #expect(try EphemeralCertificate.identity(nonce: nonce).id != identity.id)
    }
    #expect(EphemeralCertificate.nonce(in: try Identity.temporary().certificate) == nil)
    #expect(EphemeralCertificate.nonce(in: try Identity.temporary(serial: [2] + one).certificate) == nil)
    #expect(EphemeralCertificate.nonce(in: try Identity.temporary(serial: [1] + one + [0]).certificate) == nil)
  }
}
