import Crypto
import SegueCore

/// The proof that a device puts into TLS's server name, so that the device that accepts the connection knows it for a
/// paired one before that shows its certificate: `<server nonce>.<own nonce>.<token>[.<token>…].segue.invalid`, each in
/// base32.
///
/// A token stands for one pair of devices. It is made for one server nonce, which the dialled device has given out, and
/// for one nonce of the dialling device, which is valid once.
struct Proof: Equatable {
  static let nonceLength = 16
  static let tokenLength = 8
  private static let suffix = ".segue.invalid"
  /// The longest DNS name.
  private static let nameLength = 253

  let server: [UInt8]
  let own: [UInt8]
  let tokens: [[UInt8]]

  init(server: [UInt8], own: [UInt8], tokens: [[UInt8]]) {
    self.server = server
    self.own = own
    self.tokens = tokens
  }

  /// Parses a server name. Nil unless `name` has the form of a proof; the tokens are not checked.
  init?(name: String) {
    guard name.utf8.count <= Self.nameLength, let start = name.rest(before: Self.suffix) else { return nil }
    let labels = start.parts(at: ".", omittingEmpty: false)
      .map { Base32.bytes(String($0)) }
    guard (3...2 + Limits.proofTokens).contains(labels.count), let server = labels[0], let own = labels[1],
      server.count == Self.nonceLength, own.count == Self.nonceLength
    else { return nil }
    let tokens = labels.dropFirst(2).compactMap { $0 }.filter { $0.count == Self.tokenLength }
    guard tokens.count == labels.count - 2 else { return nil }
    self.init(server: server, own: own, tokens: tokens)
  }

  /// The server name.
  var name: String { ([server, own] + tokens).map(Base32.text).joined(separator: ".") + Self.suffix }

  /// The recognition key of two paired devices: both can derive it, and so can anyone who knows both ids.
  static func key(_ one: DeviceID, _ other: DeviceID) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: min(one, other).bytes + max(one, other).bytes),
      info: Array("segue recognition/1".utf8), outputByteCount: 32)
  }

  /// The token for `device`, which is dialled. It names that device, so that it cannot be reflected to its maker.
  static func token(_ key: SymmetricKey, to device: DeviceID, server: [UInt8], own: [UInt8]) -> [UInt8] {
    let text = Array("segue proof/1".utf8) + device.bytes + server + own
    return Array(HMAC<SHA256>.authenticationCode(for: text, using: key).prefix(tokenLength))
  }
}

extension Proof {
  /// The proof of `device` for one peer, which has given out this server nonce.
  init(of device: DeviceID, to peer: DeviceID, server: [UInt8]) {
    let own = Identity.random(Self.nonceLength)
    let token = Self.token(Self.key(device, peer), to: peer, server: server, own: own)
    self.init(server: server, own: own, tokens: [token])
  }

  /// The proof of `device` for whichever of the peers has given out this server nonce. It does not reveal the number of
  /// peers: it always has the same number of tokens, and the rest are random.
  init(of device: DeviceID, toAnyOf peers: some Collection<DeviceID>, server: [UInt8]) {
    let own = Identity.random(Self.nonceLength)
    var tokens = peers.prefix(Limits.proofTokens)
      .map { Self.token(Self.key(device, $0), to: $0, server: server, own: own) }
    while tokens.count < Limits.proofTokens { tokens.append(Identity.random(Self.tokenLength)) }
    self.init(server: server, own: own, tokens: tokens.shuffled())
  }
}
