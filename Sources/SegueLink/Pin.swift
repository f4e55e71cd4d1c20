import NIOSSL
import SegueCore

/// The device to which a certificate belongs. TLS checks nothing else of it: dates, names and extensions are ignored.
enum Pin {
  /// DER before the point of every uncompressed P-256 public key: the one key type that is allowed.
  private static let p256: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce,
    0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
  ]

  /// The certificate's SubjectPublicKeyInfo in DER; nil for another key type.
  static func publicKeyInfo(of certificate: NIOSSLCertificate) -> [UInt8]? {
    guard let info = try? certificate.extractPublicKey().toSPKIBytes(), info.count == p256.count + 64,
      info.starts(with: p256)
    else { return nil }
    return info
  }

  /// The device of a chain; nil unless it is one certificate with an allowed key.
  static func device(of chain: [NIOSSLCertificate]) -> DeviceID? {
    guard chain.count == 1, let certificate = chain.first, let info = publicKeyInfo(of: certificate) else { return nil }
    return DeviceID(publicKeyInfo: info)
  }
}
