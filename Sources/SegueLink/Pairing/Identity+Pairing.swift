import Crypto
import SegueCore

// The cryptography that a pairing needs.

extension Identity {
  /// The permanent public key: SubjectPublicKeyInfo in DER.
  public var publicKeyInfo: [UInt8] { Array(signing.publicKey.derRepresentation) }

  /// The signature by that key: ECDSA over SHA-256, in DER. Nil if it cannot be made.
  public func signature(of bytes: [UInt8]) -> [UInt8]? {
    (try? signing.signature(for: bytes)).map { Array($0.derRepresentation) }
  }

  /// The device that the key makes, if the signature of the bytes is that key's; otherwise nil.
  public static func device(key: [UInt8], signature: [UInt8], of bytes: [UInt8]) -> DeviceID? {
    guard let publicKey = try? P256.Signing.PublicKey(derRepresentation: key),
      // A key has one form, and an id is a hash of that.
      Array(publicKey.derRepresentation) == key,
      let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature),
      publicKey.isValidSignature(signature, for: bytes)
    else { return nil }
    return DeviceID(publicKeyInfo: key)
  }

  /// SHA-256.
  public static func hash(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

  /// HMAC-SHA256.
  public static func mac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: key)))
  }

  /// Cryptographically random bytes.
  public static func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}
