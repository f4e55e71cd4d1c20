import SegueCore

/// The values that two devices have agreed on in a pairing: both ephemeral keys as TLS proved them, both nonces, both
/// names. If somebody sits in between, the two sides have agreed on different values, and their digits differ.
struct PairingAgreement: Equatable, Sendable {
  /// SHA-256 of all these values.
  let hash: [UInt8]
  /// The other device's name for itself.
  let otherName: String

  /// One end of a pairing: the key's hash, the nonce, the name.
  struct End {
    var key: [UInt8]
    var nonce: [UInt8]
    var name: String
  }

  init(dialler: End, other: End, seenBy role: PairingRole, _ crypto: any PairingCrypto) {
    var bytes = Array("segue pairing 1".utf8)
    for end in [dialler, other] {
      for part in [end.key, end.nonce, Array(end.name.utf8)] {
        // The length of each part comes first, so that two different agreements never have the same bytes.
        bytes += [UInt8(truncatingIfNeeded: part.count >> 8), UInt8(truncatingIfNeeded: part.count)] + part
      }
    }
    hash = crypto.hash(bytes)
    otherName = role == .dialler ? other.name : dialler.name
  }

  /// The commitment that the dialler sends before it knows the other nonce. Without it, somebody in between could try
  /// nonces until both sides' digits are equal.
  static func commitment(key: [UInt8], otherKey: [UInt8], nonce: [UInt8], _ crypto: any PairingCrypto) -> [UInt8] {
    crypto.hash(Array("segue pairing 1 commitment".utf8) + key + otherKey + nonce)
  }

  static let digitCount = 6

  /// The six digits that one device shows, and that its user types on the other.
  var digits: String {
    let number = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
    let text = String(number)
    return String(repeating: "0", count: Self.digitCount - text.utf8.count) + text
  }

  /// The digits that a user has typed, perhaps in groups; nil unless there are six, and nothing else.
  static func digits(in text: String) -> String? {
    let bytes = text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
    guard bytes.count == digitCount, bytes.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
      return nil
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The proof that one end knows the secret of a copied code.
  func proof(of secret: [UInt8], by role: PairingRole, _ crypto: any PairingCrypto) -> [UInt8] {
    crypto.mac(Array("segue pairing 1 proof \(role)".utf8) + hash, key: secret)
  }

  /// The bytes that an end signs with its permanent key.
  func signed(by role: PairingRole) -> [UInt8] { Array("segue pairing 1 identity \(role)".utf8) + hash }
}
