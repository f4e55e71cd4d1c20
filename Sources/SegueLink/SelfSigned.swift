import Crypto
import SegueCore
import SwiftASN1
import X509

import struct FoundationEssentials.Date

/// The certificate that carries a key through TLS. Peers read only the key in it, so it has no real name, and is valid
/// for the longest time that its format can express without special meaning.
enum SelfSigned {
  /// A certificate. Its serial number is 1, or the caller's: the bytes of a positive integer.
  static func certificate(_ key: P256.Signing.PrivateKey, serial: [UInt8] = [1]) throws -> Certificate {
    let key = Certificate.PrivateKey(key)
    let name = try DistinguishedName { CommonName("segue") }
    return try Certificate(
      version: .v3, serialNumber: .init(bytes: serial), publicKey: key.publicKey,
      notValidBefore: Date(timeIntervalSince1970: 0), notValidAfter: Date(timeIntervalSince1970: 253_370_764_800),
      issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256, extensions: Certificate.Extensions(),
      issuerPrivateKey: key)
  }

  /// The one block of this kind in `pem`, with its BEGIN and END lines. Throws `invalidArgument`.
  static func block(_ pem: String, _ kind: String) throws(SegueError) -> String {
    let lines = pem.parts(at: "\n")
    guard let first = lines.firstIndex(of: "-----BEGIN \(kind)-----"),
      let last = lines.firstIndex(of: "-----END \(kind)-----"), first < last
    else { throw SegueError(.invalidArgument, "There is no \(kind).") }
    return lines[first...last].joined(separator: "\n") + "\n"
  }
}
