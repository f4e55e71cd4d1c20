import Crypto
import SegueCore

/// Decides to whom this device shows its certificate: to a device that proves to be a paired one, with a nonce of this
/// device's that still counts. Times in milliseconds of a steady clock.
///
/// This device gives nonces out in two ways, and keeps none of the first kind: each throw-away certificate carries one,
/// which a secret of the hour has signed; and discovery publishes one. A nonce may serve several dials. What each dial
/// adds of its own serves once, and is remembered for as long as the nonce counts.
struct Recognizer {
  /// Who has dialled.
  enum Caller: Equatable {
    case device(DeviceID)
    /// It may be a paired device that has no nonce that counts, and gets one now; or one that looks for those it knows.
    case unknown
    /// It knows this device's nonce, and is not paired; or somebody says what another one has said.
    case stranger
  }

  /// Nonces that count for the same time, and what proofs with them have added.
  private struct Nonces {
    enum Source {
      case secret(SymmetricKey)
      case published([UInt8])
    }

    let source: Source
    private var used: Set<[UInt8]> = []

    init(_ source: Source) { self.source = source }

    /// What cannot be remembered any more could be repeated: so they count no more, and others are given out.
    var areUsedUp: Bool { used.count >= Limits.nonceUses }

    /// False if that was used before.
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
  /// The newest first; two of each at most.
  private var signed: [Nonces] = []
  private var published: [Nonces] = []
  private var changedAt: UInt64 = 0

  /// `period`: how long a secret signs; what it has signed counts for as long again.
  init(own: DeviceID, period: UInt64) {
    self.own = own
    self.period = period
  }

  /// The paired devices from now on.
  mutating func setPeers(_ peers: some Collection<DeviceID>) {
    let known = keys
    keys = [:]
    for peer in peers { keys[peer] = known[peer] ?? Proof.key(own, peer) }
  }

  /// Discovery gives out this nonce from now on; the former one counts on.
  mutating func publish(_ nonce: [UInt8]) {
    guard nonce.count == Proof.nonceLength else { return }
    // One that is published again has been used all the same.
    let index = published.firstIndex { $0.contains(nonce) }
    let nonces = index.map { published.remove(at: $0) } ?? Nonces(.published(nonce))
    published = [nonces] + published.prefix(1)
  }

  /// A nonce for a throw-away certificate.
  mutating func nonce(at now: UInt64) -> [UInt8] {
    if signed.isEmpty || signed[0].areUsedUp || now >= changedAt + period { change(now) }
    guard case .secret(let secret)? = signed.first?.source else { return [] }
    let random = Identity.random(Self.half)
    return random + Self.signature(of: random, secret)
  }

  /// Who dials with this server name. A proof that is right counts once.
  mutating func caller(_ name: String?, at now: UInt64) -> Caller {
    guard let proof = name.flatMap(Proof.init(name:)) else { return .unknown }
    if now >= changedAt + period { change(now) }
    for list in [\Self.signed, \Self.published] {
      if let index = self[keyPath: list].firstIndex(where: { $0.contains(proof.server) }) {
        guard !self[keyPath: list][index].areUsedUp else { return .unknown }
        guard let device = device(of: proof) else { return proof.tokens.count > 1 ? .unknown : .stranger }
        guard self[keyPath: list][index].use(proof.own) else { return .stranger }
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

  /// Changes the secret, on the hour or early. What the one before the last has signed counts no more.
  private mutating func change(_ now: UInt64) {
    let elapsed = now - changedAt
    signed = [Nonces(.secret(SymmetricKey(size: .bits256)))] + (elapsed < 2 * period ? signed.prefix(1) : [])
    changedAt = elapsed < period ? now : now - elapsed % period
  }

  private static func signature(of nonce: [UInt8], _ secret: SymmetricKey) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: nonce.prefix(half), using: secret).prefix(half))
  }
}

/// Compares in a time that does not tell where they differ.
private func isEqual(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>) -> Bool {
  one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}
