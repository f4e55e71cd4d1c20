import SegueCore

/// The cryptography of a pairing, for which the engine has no library: SegueLink provides it.
public protocol PairingCrypto {
  /// SHA-256.
  func hash(_ bytes: [UInt8]) -> [UInt8]
  /// HMAC-SHA256.
  func mac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8]
  /// Random bytes that nobody can guess.
  func random(_ count: Int) -> [UInt8]
  /// This device's permanent public key, as SubjectPublicKeyInfo in DER.
  var key: [UInt8] { get }
  /// The signature by that key: ECDSA over SHA-256, in DER. Nil if it cannot be made.
  func signature(of bytes: [UInt8]) -> [UInt8]?
  /// The id of the device that has the key, if the signature of the bytes was made by that key; otherwise nil.
  func device(key: [UInt8], signature: [UInt8], of bytes: [UInt8]) -> DeviceID?
}
