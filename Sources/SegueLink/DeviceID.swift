import Crypto
import SegueCore

/// A device: the SHA-256 of its public key (the certificate's SubjectPublicKeyInfo in DER). It is computed from the
/// key that TLS proved, and never read from a message.
///
/// Its text is base32 in fourteen groups of four, the last of which is a check: a mistyped id is refused, not pinned.
public struct DeviceID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Thirty-two.
  public let bytes: [UInt8]

  /// Nil unless `bytes` are thirty-two.
  public init?(bytes: [UInt8]) {
    guard bytes.count == SHA256.byteCount else { return nil }
    self.bytes = bytes
  }

  /// The id of the device that has this key.
  public init(publicKeyInfo: [UInt8]) {
    bytes = Array(SHA256.hash(data: publicKeyInfo))
  }

  /// Nil unless `text` is a device id: letters of either case, with dashes and spaces or without, and a check that
  /// matches.
  public init?(_ text: String) {
    guard text.utf8.count <= 128,
      let all = Base32.decode(text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }),
      all.count == Self.digits
    else { return nil }
    guard let bytes = Base32.bytes(all[..<Self.keyDigits]), bytes.count == SHA256.byteCount else { return nil }
    self.bytes = bytes
    guard all[Self.keyDigits...].elementsEqual(Self.check(of: bytes)) else { return nil }
  }

  /// The text form: 69 characters, lower case.
  public var description: String {
    let digits = Base32.encode(Base32.digits(bytes) + Self.check(of: bytes))
    var text: [UInt8] = []
    for (index, digit) in digits.enumerated() {
      if index > 0, index % 4 == 0 { text.append(UInt8(ascii: "-")) }
      text.append(digit)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The first group of the text, for a log line.
  public var short: String { String(description.prefix(9)) }

  /// The order that decides which of two devices chooses between duplicate links.
  public static func < (left: DeviceID, right: DeviceID) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }

  private static let keyDigits = 52
  private static let digits = 56

  /// Twenty bits of a hash with a purpose of its own: one mistyped id in a million passes, whatever the mistake was.
  private static func check(of bytes: [UInt8]) -> ArraySlice<UInt8> {
    Base32.digits(Array(SHA256.hash(data: Array("segue device id".utf8) + bytes)))[..<4]
  }
}

extension DeviceID {
  /// A text that stands for the device in what one application is told: the same each time, and another one for every
  /// application, so that no two of them learn from it that they run on the same user's devices.
  public func alias(for application: AppID) -> String {
    let digest = SHA256.hash(data: Array("segue device alias\0\(application.string)\0".utf8) + bytes)
    return Array(digest.prefix(16)).reduce(into: "") { text, byte in
      text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
  }
}
