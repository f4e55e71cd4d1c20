/// A device: the SHA-256 of its public key. It is computed from the key that TLS proved, and never read from a message;
/// SegueLink, which can hash, computes it (DeviceID+Key.swift there).
///
/// Its text is base32 in fourteen groups of four, the last of which is a check: a mistyped id is refused, not pinned.
public struct DeviceID: Hashable, Comparable, Sendable, CustomStringConvertible {
  // An id is copied and compared all the time, so it consists of numbers alone: nothing is counted for a copy.
  private let first: Identifier
  private let second: Identifier
  private let checkWord: UInt32

  package static let byteCount = 32
  private static let keyDigits = 52
  package static let checkDigits = 4

  /// The caller has hashed: thirty-two bytes, and their check. Bytes that are missing count as 0, and further ones are
  /// left out.
  package init(hash bytes: [UInt8], check: [UInt8]) {
    func word(_ place: Int) -> UInt64 {
      (place..<place + 8).reduce(0) { $0 << 8 | (bytes.indices.contains($1) ? UInt64(bytes[$1]) : 0) }
    }
    first = Identifier(high: word(0), low: word(8))
    second = Identifier(high: word(16), low: word(24))
    checkWord = (0..<4).reduce(0) { $0 << 8 | (check.indices.contains($1) ? UInt32(check[$1]) : 0) }
  }

  /// Thirty-two.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.byteCount)
    first.append(to: &bytes)
    second.append(to: &bytes)
    return bytes
  }

  /// The last group of the text, as four base32 digits: a part of a hash of the bytes.
  public var check: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: checkWord >> $0) } }

  /// A device in a file of this device's own, where `description` was written. Nil unless `recorded` has the form of a
  /// device id: letters of either case, with dashes and spaces or without. Its check is taken as it stands.
  public init?(recorded text: String) {
    guard text.utf8.count <= 128,
      let all = Base32.decode(text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }),
      all.count == Self.keyDigits + Self.checkDigits, let bytes = Base32.bytes(all[..<Self.keyDigits]),
      bytes.count == Self.byteCount
    else { return nil }
    self.init(hash: bytes, check: Array(all[Self.keyDigits...]))
  }

  /// The text form: 69 characters, lower case.
  public var description: String {
    var text: [UInt8] = []
    for (index, digit) in Base32.encode(Base32.digits(bytes) + check).enumerated() {
      if index > 0, index % 4 == 0 { text.append(UInt8(ascii: "-")) }
      text.append(digit)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The first two groups of the text, for a log line.
  public var short: String { String(decoding: description.utf8.prefix(9), as: UTF8.self) }

  /// The key's hash alone tells devices apart.
  public static func == (left: DeviceID, right: DeviceID) -> Bool {
    left.first == right.first && left.second == right.second
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(first)
    hasher.combine(second)
  }

  /// The order that decides which of two devices chooses between duplicate links.
  public static func < (left: DeviceID, right: DeviceID) -> Bool {
    left.first == right.first ? left.second < right.second : left.first < right.first
  }
}
