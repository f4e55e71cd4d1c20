import Crypto
import SegueCore

/// Decides to whom this device shows its certificate: to a device that proves to be a paired one, with a nonce of this
/// device's that still counts. Times in milliseconds of a steady clock.
///
/// This device gives nonces out in two ways, and keeps none of the first kind: each ephemeral certificate carries one,
/// which a secret of the hour has signed; and discovery publishes one. A nonce may serve several dials. The nonce that
/// each dial adds of its own serves once, and is remembered for as long as this device's nonce is valid.
struct Recognizer {
  /// The kind of device that has dialled.
  enum Caller: Equatable {
    case device(DeviceID)
    /// It may be a paired device that has no valid nonce, and gets one now; or one that looks for devices it knows.
    case unknown
    /// It knows this device's nonce, and is not paired; or it replays the proof of another device.
    case unauthenticated
  }

  /// Nonces that are valid for the same time, and the own nonces of the proofs made with them.
  private struct Nonces {
    enum Source {
      case secret(SymmetricKey)
      case published([UInt8])
    }

    let source: Source
    private var used: Set<[UInt8]> = []

    init(_ source: Source) { self.source = source }

    /// Whether the memory of own nonces is full: one that is not remembered could be replayed, so these nonces become
    /// invalid, and others are given out.
    var areUsedUp: Bool { used.count >= Limits.nonceUses }

    /// Remembers an own nonce; false if it was used before.
    mutating func use(_ own: [UInt8]) -> Bool { used.insert(own).inserted }

    func contains(_ nonce: [UInt8]) -> Bool {
      switch source {
      case .secret(let secret):
        nonce.count == Proof.nonceLength && isEqual(Recognizer.signature(of: nonce, secret), nonce[half...])
      case .published(let one): nonce == one
      }
    }
  }

  private static let half = Proof.nonceLength / 2

  private let own: DeviceID
  private let period: UInt64
  private var keys: [DeviceID: SymmetricKey] = [:]
  /// The newest first, at most two of each kind.
  private var signed: [Nonces] = []
  private var published: [Nonces] = []
  private var changedAt: UInt64 = 0

  /// `period`: how long a secret signs; the nonces that it has signed stay valid for as long again.
  init(own: DeviceID, period: UInt64) {
    self.own = own
    self.period = period
  }

  /// Sets the paired devices from now on.
  mutating func setPeers(_ peers: some Collection<DeviceID>) {
    let known = keys
    keys = [:]
    for peer in peers { keys[peer] = known[peer] ?? Proof.key(own, peer) }
  }

  /// Sets the nonce that discovery gives out from now on; the former one stays valid.
  mutating func publish(_ nonce: [UInt8]) {
    guard nonce.count == Proof.nonceLength else { return }
    // A nonce that is published again keeps the memory of its uses.
    let index = published.firstIndex { $0.contains(nonce) }
    let nonces = index.map { published.remove(at: $0) } ?? Nonces(.published(nonce))
    published = [nonces] + published.prefix(1)
  }

  /// A nonce for an ephemeral certificate.
  mutating func nonce(at now: UInt64) -> [UInt8] {
    if signed.isEmpty || signed[0].areUsedUp || now >= changedAt + period { change(now) }
    guard case .secret(let secret)? = signed.first?.source else { return [] }
    let random = Identity.random(Self.half)
    return random + Self.signature(of: random, secret)
  }

  /// The device that dials with this server name. A correct proof is valid once.
  mutating func caller(_ name: String?, at now: UInt64) -> Caller {
    guard let proof = name.flatMap(Proof.init(name:)) else { return .unknown }
    if now >= changedAt + period { change(now) }
    for list in [\Self.signed, \Self.published] {
      if let index = self[keyPath: list].firstIndex(where: { $0.contains(proof.server) }) {
        guard !self[keyPath: list][index].areUsedUp else { return .unknown }
        guard let device = device(of: proof) else { return proof.tokens.count > 1 ? .unknown : .unauthenticated }
        guard self[keyPath: list][index].use(proof.own) else { return .unauthenticated }
        return .device(device)
      }
    }
    return .unknown
  }

  /// The paired device whose token is in the proof.
  private func device(of proof: Proof) -> DeviceID? {
    keys.first { _, key in
      let right = Proof.token(key, to: own, server: proof.server, own: proof.own)
      return proof.tokens.contains { isEqual($0, right) }
    }?.key
  }

  /// Changes the secret, on the hour or early. Nonces that the secret before the last has signed become invalid.
  private mutating func change(_ now: UInt64) {
    let elapsed = now - changedAt
    signed = [Nonces(.secret(SymmetricKey(size: .bits256)))] + (elapsed < 2 * period ? signed.prefix(1) : [])
    changedAt = elapsed < period ? now : now - elapsed % period
  }

  private static func signature(of nonce: [UInt8], _ secret: SymmetricKey) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: nonce.prefix(half), using: secret).prefix(half))
  }
}

/// Compares in constant time, so that the duration does not reveal where the two differ.
private func isEqual(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>) -> Bool {
  one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}
