import NIOSSL

/// The certificate that a device is shown that has not proved anything: its key serves this once, and its serial number
/// is a nonce, with which a paired device can prove itself.
enum Throwaway {
  /// Before the nonce, so that the number is positive and as long as it is.
  private static let mark: UInt8 = 1

  static func identity(nonce: [UInt8]) throws -> Identity { try Identity.temporary(serial: [mark] + nonce) }

  /// The nonce in a throw-away certificate; nil where it is none.
  static func nonce(in certificate: NIOSSLCertificate) -> [UInt8]? {
    let serial = certificate.serialNumber
    guard serial.count == 1 + Proof.nonceLength, serial.first == mark else { return nil }
    return Array(serial.dropFirst())
  }
}
