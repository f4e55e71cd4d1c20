import Crypto
import SegueCore

// Device ids need hashes: of a device's public key, for the check in the text, and for the aliases in applications.

extension DeviceID {
  /// The id of the device that has this key (the certificate's SubjectPublicKeyInfo in DER).
  public init(publicKeyInfo: [UInt8]) {
    self.init(hash: Array(SHA256.hash(data: publicKeyInfo)))
  }

  /// Nil unless `bytes` are thirty-two.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.init(hash: bytes)
  }

  /// Reads the text that a person copies or types. Nil unless `text` is a device id, in the form of `init(recorded:)`,
  /// with a check that matches.
  public init?(_ text: String) {
    guard let id = DeviceID(recorded: text), id.check == Self.check(of: id.bytes) else { return nil }
    self = id
  }

  /// Whether the check is that of the hash; the core, which has no hash function, takes any check as given.
  public var isGenuine: Bool { check == Self.check(of: bytes) }

  private init(hash: [UInt8]) { self.init(hash: hash, check: Self.check(of: hash)) }

  /// Twenty bits of a hash with its own domain prefix: one mistyped id in a million passes, whatever the mistake was.
  private static func check(of bytes: [UInt8]) -> [UInt8] {
    Array(Base32.digits(Array(SHA256.hash(data: Array("segue device id".utf8) + bytes)))[..<checkDigits])
  }

  /// A text that stands for the device in one application: the same each time, and another one for every application,
  /// so that no two of them learn from it that they run on the same user's devices.
  public func alias(for application: AppID) -> String {
    let digest = SHA256.hash(data: Array("segue device alias\0\(application.string)\0".utf8) + bytes)
    return Array(digest.prefix(16)).reduce(into: "") { text, byte in
      text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
  }
}
