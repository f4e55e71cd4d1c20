import Crypto
import SegueCore

@testable import SegueEngine

/// Real cryptography, with nonces that a test can repeat.
struct TestCrypto: PairingCrypto, Sendable {
  let signing: P256.Signing.PrivateKey
  let seed: UInt8

  init(_ seed: UInt8) {
    self.seed = seed
    let raw = Array(SHA256.hash(data: [seed]))
    guard let key = try? P256.Signing.PrivateKey(rawRepresentation: raw) else { fatalError("no key") }
    signing = key
  }

  var device: DeviceID { device(key) }
  func hash(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
  func mac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: key)))
  }
  func random(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) ^ seed } }
  var key: [UInt8] { Array(signing.publicKey.derRepresentation) }
  func signature(of bytes: [UInt8]) -> [UInt8]? {
    (try? signing.signature(for: bytes)).map { Array($0.derRepresentation) }
  }
  func device(key: [UInt8], signature: [UInt8], of bytes: [UInt8]) -> DeviceID? {
    guard let publicKey = try? P256.Signing.PublicKey(derRepresentation: key),
      let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature),
      publicKey.isValidSignature(signature, for: bytes)
    else { return nil }
    return device(key)
  }
  private func device(_ key: [UInt8]) -> DeviceID { DeviceID(hash: hash(key), check: [0, 0, 0, 0]) }
}

/// Hashes as the devices do, with nonces that are drawn from a seed, or the same each time.
final class Dice: PairingCrypto, @unchecked Sendable {
  private var state: UInt64
  private let constant: [UInt8]?

  init(seed: UInt64, constant: [UInt8]? = nil) {
    state = seed
    self.constant = constant
  }

  func hash(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
  func random(_ count: Int) -> [UInt8] { constant ?? draw(count) }

  /// SplitMix64.
  func draw(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      state &+= 0x9E37_79B9_7F4A_7C15
      var word = state
      word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
      word ^= word >> 31
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
    return Array(bytes.prefix(count))
  }

  // No key is shown before the digits are typed.
  func mac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] { [] }
  var key: [UInt8] { [] }
  func signature(of bytes: [UInt8]) -> [UInt8]? { nil }
  func device(key: [UInt8], signature: [UInt8], of bytes: [UInt8]) -> DeviceID? { nil }
}

/// Two devices that pair over a connection, with a user at both.
struct PairingTrial {
  struct End {
    var session: PairingSession
    var crypto: TestCrypto
    /// The messages on their way to this end.
    var inbox: [PairingMessage] = []
    var shown: String?
    var isAskedForDigits = false
    var isAsked = false
    var pin: PairingSession.PairedPeer?
    /// Whether the end was paired with the other one before.
    var wasPaired = false
    /// A write that the disk has not done.
    var writing: PairingSession.PairedPeer?
    var outcome: PairingSession.Outcome?
    var isDead = false
  }

  var ends: [End]
  var isCut = false
  /// The actions of the users.
  var typedRight = false
  var confirmed = false

  /// `expected`: the device that is named in the code which the dialler uses.
  init(
    secrets: [[UInt8]?] = [nil, nil], keys: [[UInt8]] = [[1], [2]], seenKeys: [[UInt8]]? = nil,
    expected: DeviceID? = nil, wasPaired: [Bool] = [false, false]
  ) {
    ends = []
    var first: [PairingSession.Effect] = []
    for index in 0...1 {
      let crypto = TestCrypto(UInt8(index + 1))
      let (session, effects) = PairingSession.begin(
        PairingSession.Start(
          role: index == 0 ? .dialler : .other, key: keys[index], otherKey: (seenKeys ?? keys)[1 - index],
          name: index == 0 ? "desk" : "lap", addresses: [LinkAddress(host: "192.0.2.\(index)", port: 1)],
          secret: secrets[index], expected: index == 0 ? expected : nil), crypto)
      ends.append(End(session: session, crypto: crypto))
      if index == 0 { first = effects }
      ends[index].wasPaired = wasPaired[index]
      if wasPaired[index] {
        ends[index].pin = PairingSession.PairedPeer(
          device: TestCrypto(UInt8(2 - index)).device, name: "former", addresses: [])
      }
    }
    perform(first, 0)
  }

  /// A key that is the same for equal states. It leaves out signatures, since the same one is never made twice.
  var key: String {
    let ends = ends.map { end in
      "\(end.session.state) \(end.inbox.map { "\($0)".prefix { $0 != "(" } }) \(end.shown ?? "") \(end.isAskedForDigits)"
        + " \(end.isAsked) \(end.pin != nil) \(end.writing != nil) \(String(describing: end.outcome)) \(end.isDead)"
    }
    return "\(ends) \(isCut) \(typedRight) \(confirmed)"
  }

  mutating func handle(_ event: PairingSession.Event, _ index: Int) {
    guard !ends[index].isDead else { return }
    perform(ends[index].session.handle(event), index)
  }

  private mutating func perform(_ effects: [PairingSession.Effect], _ index: Int) {
    for effect in effects {
      switch effect {
      case .send(let message): if !isCut, !ends[1 - index].isDead { ends[1 - index].inbox.append(message) }
      case .show(let digits, _): ends[index].shown = digits
      case .askDigits: ends[index].isAskedForDigits = true
      case .askConfirmation: ends[index].isAsked = true
      case .remember(let peer): ends[index].writing = peer
      case .forget: ends[index].pin = nil
      case .finished(let outcome):
        ends[index].outcome = outcome
        ends[index].isAskedForDigits = false
        ends[index].isAsked = false
      }
    }
  }

  mutating func deliver(to index: Int) {
    let message = ends[index].inbox.removeFirst()
    handle(.received(message), index)
  }

  mutating func write(_ index: Int, error: SegueError? = nil) {
    guard let peer = ends[index].writing else { return }
    ends[index].writing = nil
    if error == nil { ends[index].pin = peer }
    handle(.remembered(error, wasPaired: ends[index].wasPaired), index)
  }

  mutating func type(right: Bool) {
    guard let digits = ends[0].shown else { return }
    if right { typedRight = true }
    ends[1].isAskedForDigits = false
    handle(.typed(right ? digits : digits == "000000" ? "000001" : "000000"), 1)
  }

  mutating func confirm(_ isRight: Bool) {
    if isRight { confirmed = true }
    ends[0].isAsked = false
    handle(.confirmed(isRight), 0)
  }

  /// All messages on their way arrive, and all writes are done.
  mutating func settle() {
    while let index = ends.indices.first(where: { !ends[$0].inbox.isEmpty || ends[$0].writing != nil }) {
      if ends[index].writing != nil { write(index) } else { deliver(to: index) }
    }
  }
}
