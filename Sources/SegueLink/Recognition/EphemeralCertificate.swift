import NIOSSL

/// The certificate that an unauthenticated peer is shown: its key serves this once, and its serial number is a nonce,
/// with which a paired device can prove itself.
enum EphemeralCertificate {
  /// The byte before the nonce, which makes the number positive and its length fixed.
  private static let mark: UInt8 = 1

  static func identity(nonce: [UInt8]) throws -> Identity { try Identity.temporary(serial: [mark] + nonce) }

  /// The nonce in an ephemeral certificate; nil for any other certificate.
  static func nonce(in certificate: NIOSSLCertificate) -> [UInt8]? {
    let serial = certificate.serialNumber
    guard serial.count == 1 + Proof.nonceLength, serial.first == mark else { return nil }
    return Array(serial.dropFirst())
  }
}
