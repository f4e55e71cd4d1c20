import Crypto
import NIOSSL
import SegueCore

/// This device's key and its certificate. Immutable, usable from any thread; it keeps its folder locked while it lives.
public final class Identity: @unchecked Sendable {
  /// The device that this key makes.
  public let id: DeviceID
  /// The folder it came from, for the other state files; nil for one that is kept nowhere.
  public let folder: StateFolder?
  let certificate: NIOSSLCertificate
  let key: NIOSSLPrivateKey

  /// The identity in `folder`, made at the first time. Blocks on the disk.
  ///
  /// Throws what `StateFolder` throws, and `invalidArgument` for a file that does not hold a key: a broken one is
  /// never replaced by a new key, since every device would then have to be paired again.
  public static func loadOrCreate(folder path: String) throws(SegueError) -> Identity {
    let folder = try StateFolder(path)
    if let bytes = try folder.read(file) {
      guard let text = String(validating: bytes, as: UTF8.self), let identity = try? Identity(pem: text, folder: folder)
      else {
        throw SegueError(
          .invalidArgument, "\(path)/\(file) holds no usable key.",
          advice: "Restore it from a backup, or move it away; without it, devices must be paired anew.")
      }
      return identity
    }
    guard try folder.read(PinStore.file) == nil else {
      throw SegueError(
        .invalidArgument, "\(path)/\(file) is missing, and yet devices are paired.",
        advice: "Restore it from a backup; or move \(PinStore.file) away too, and pair the devices anew.")
    }
    let pem = try newPEM()
    try folder.write(file, Array(pem.utf8))
    return try from(pem, folder: folder)
  }

  /// An identity that is kept nowhere: for tests, and for a pairing that must not show the real one.
  public static func temporary() throws(SegueError) -> Identity {
    try from(newPEM(), folder: nil)
  }

  private static let file = "identity.pem"

  private static func newPEM() throws(SegueError) -> String {
    let key = P256.Signing.PrivateKey()
    do {
      return key.pemRepresentation + "\n" + (try SelfSigned.pem(key)) + "\n"
    } catch {
      throw SegueError(.system, "Could not make a certificate: \(error).")
    }
  }

  private static func from(_ pem: String, folder: StateFolder?) throws(SegueError) -> Identity {
    do {
      return try Identity(pem: pem, folder: folder)
    } catch {
      throw SegueError(.system, "Could not use the new key: \(error).")
    }
  }

  private init(pem: String, folder: StateFolder?) throws {
    let key = try P256.Signing.PrivateKey(pemRepresentation: SelfSigned.block(pem, "PRIVATE KEY"))
    let certificates = try NIOSSLCertificate.fromPEMBytes(Array(SelfSigned.block(pem, "CERTIFICATE").utf8))
    guard certificates.count == 1, let certificate = certificates.first,
      let info = Pin.publicKeyInfo(of: certificate), info == Array(key.publicKey.derRepresentation)
    else { throw SegueError(.invalidArgument, "The certificate is not the key's.") }
    self.key = try NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der)
    self.certificate = certificate
    self.folder = folder
    id = DeviceID(publicKeyInfo: info)
  }
}
