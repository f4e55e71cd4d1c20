import Crypto
import NIOSSL
import SegueCore
import SegueState
import SwiftASN1
import X509

/// This device's key and its certificate. Immutable, usable from any thread.
public final class Identity: @unchecked Sendable {
  /// The id of the device that has this key.
  public let id: DeviceID
  let certificate: NIOSSLCertificate
  let key: NIOSSLPrivateKey
  let signing: P256.Signing.PrivateKey

  /// The identity in `folder`, made on first use. Blocks on the disk.
  ///
  /// Throws what `IdentityFile` throws, and `invalidArgument` for a file that does not hold a key: a broken one is
  /// never replaced by a new key, since every device would then have to be paired again.
  public static func loadOrCreate(in folder: StateFolder) throws(SegueError) -> Identity {
    let file = IdentityFile(folder)
    if let bytes = try file.read() {
      guard let text = String(validating: bytes, as: UTF8.self), let identity = try? Identity(pem: text) else {
        throw file.unusable
      }
      return identity
    }
    let pem = try newPEM()
    try file.write(Array(pem.utf8))
    return try from(pem)
  }

  /// An identity that is not stored: for tests, and where the real one must not be shown.
  public static func temporary() throws(SegueError) -> Identity { try temporary(serial: [1]) }

  /// As above, with this serial number in its certificate.
  static func temporary(serial: [UInt8]) throws(SegueError) -> Identity {
    do {
      let key = P256.Signing.PrivateKey()
      var der = DER.Serializer()
      try der.serialize(SelfSigned.certificate(key, serial: serial))
      return try Identity(key, NIOSSLCertificate(bytes: der.serializedBytes, format: .der))
    } catch {
      throw SegueError(.system, "Could not make a key: \(error).")
    }
  }

  private static func newPEM() throws(SegueError) -> String {
    let key = P256.Signing.PrivateKey()
    do {
      return key.pemRepresentation + "\n" + (try SelfSigned.certificate(key).serializeAsPEM().pemString) + "\n"
    } catch {
      throw SegueError(.system, "Could not make a certificate: \(error).")
    }
  }

  private static func from(_ pem: String) throws(SegueError) -> Identity {
    do {
      return try Identity(pem: pem)
    } catch {
      throw SegueError(.system, "Could not use the new key: \(error).")
    }
  }

  private convenience init(pem: String) throws {
    let key = try P256.Signing.PrivateKey(pemRepresentation: SelfSigned.block(pem, "PRIVATE KEY"))
    let certificates = try NIOSSLCertificate.fromPEMBytes(Array(SelfSigned.block(pem, "CERTIFICATE").utf8))
    guard certificates.count == 1, let certificate = certificates.first else {
      throw SegueError(.invalidArgument, "There is not one certificate.")
    }
    try self.init(key, certificate)
  }

  private init(_ key: P256.Signing.PrivateKey, _ certificate: NIOSSLCertificate) throws {
    guard let info = Pin.publicKeyInfo(of: certificate), info == Array(key.publicKey.derRepresentation) else {
      throw SegueError(.invalidArgument, "The certificate is not the key's.")
    }
    signing = key
    self.key = try NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der)
    self.certificate = certificate
    id = DeviceID(publicKeyInfo: info)
  }
}
