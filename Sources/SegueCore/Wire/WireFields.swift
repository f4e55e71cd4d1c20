// How CBOR dictionaries with text keys are described: what devices say to each other, and what the daemon writes down.
// Each message is described once, for both ways, so that each key stands in the source once.

/// A message that is a dictionary, or a part of one.
public protocol WireMessage: WireField {
  /// Names the key of each part. `own` is what is written, and nil where a message is read.
  init(_ fields: inout WireFields, _ own: Self?) throws(SegueError)
}

/// The entries of one dictionary, while they are written or read.
///
/// Each call names a key and what the message has for it: writes that, or reads it, and returns it. A part of another
/// type counts as absent. Conditions are those of what is read; what this device itself says is not asked again.
public struct WireFields {
  public private(set) var entries: [Value: Value]
  private let isReading: Bool
  /// The error for a needed part that is missing or malformed.
  public let malformed: SegueError

  /// Most messages have no more entries.
  private static let usualCount = 12

  /// The entries of a message.
  public init<Message: WireMessage>(of message: Message) {
    (entries, isReading, malformed) = (Dictionary(minimumCapacity: Self.usualCount), false, LinkMessage.malformed)
    // Writing finds every part, so that it never throws.
    _ = try? Message(&self, message)
  }

  public init(reading entries: [Value: Value], or malformed: SegueError = LinkMessage.malformed) {
    (self.entries, isReading, self.malformed) = (entries, true, malformed)
  }

  /// Throws `malformed` unless `bytes` are the encoding of a dictionary.
  public init(reading bytes: [UInt8], or malformed: SegueError = LinkMessage.malformed) throws(SegueError) {
    guard case .dictionary(let entries)? = try? CBOR.decode(bytes) else { throw malformed }
    self.init(reading: entries, or: malformed)
  }

  // MARK: Parts

  /// A part that may be absent.
  public mutating func optional<T: WireField>(_ key: Value, _ own: T?) -> T? {
    if isReading { return entries[key].flatMap { T.of(field: $0) } }
    if let own { entries[key] = own.field }
    return own
  }

  /// A part that is needed.
  public mutating func callAsFunction<T: WireField>(
    _ key: Value, _ own: T?, where isAccepted: (T) -> Bool = { _ in true }
  ) throws(SegueError) -> T {
    guard let part = optional(key, own), !isReading || isAccepted(part) else { throw malformed }
    return part
  }

  /// A part that is always written, and has a usual value where it is absent.
  public mutating func callAsFunction<T: WireField>(_ key: Value, _ own: T?, or usual: T) -> T {
    optional(key, own) ?? usual
  }

  /// A flag, which is written only where it is set.
  public mutating func flag(_ key: Value, _ own: Bool?) -> Bool { optional(key, own == true ? true : nil) ?? false }

  /// A list. `usual`: what an absent one is; nil: it is needed. The list leaves out an item that is malformed, or not
  /// accepted; where `isWhole`, such an item makes the list malformed.
  public mutating func list<T: WireField>(
    _ key: Value, _ own: [T]?, atMost most: Int = .max, or usual: [T]? = nil, isWhole: Bool = false,
    where isAccepted: (T) -> Bool = { _ in true }
  ) throws(SegueError) -> [T] {
    guard isReading else {
      if let own { entries[key] = .array(own.map { $0.field }) }
      return own ?? []
    }
    guard let values = entries[key]?.array else {
      guard let usual else { throw malformed }
      return usual
    }
    let list = values.prefix(most).compactMap { T.of(field: $0) }.filter(isAccepted)
    guard values.count <= most, !isWhole || list.count == values.count else { throw malformed }
    return list
  }

  // MARK: Kinds

  private static let kind: Value = "kind"

  /// The kind that the dictionary names.
  public var kind: String? { entries[Self.kind]?.string }

  /// Whether the message is of that kind. `isOwn`: whether the one that is written is.
  public mutating func isKind(_ kind: String, _ isOwn: Bool) -> Bool {
    if isReading { return self.kind.map { $0.isSame(as: kind) } ?? false }
    if isOwn { entries[Self.kind] = .string(kind) }
    return isOwn
  }

  /// The message's one kind.
  public mutating func kind(_ kind: String) throws(SegueError) {
    guard isKind(kind, true) else { throw malformed }
  }

  // MARK: Parts of several messages

  /// A device's id, and its check under a key of its own.
  public mutating func device(_ key: Value, _ checkKey: Value, _ own: DeviceID?) throws(SegueError) -> DeviceID {
    DeviceID(
      hash: try self(key, own?.bytes) { $0.count == DeviceID.byteCount },
      check: try self(checkKey, own?.check) { $0.count == DeviceID.checkDigits && $0.allSatisfy { $0 < 32 } })
  }

  /// The failure that the message tells; nil where it tells none. `told` makes one of what another device has said.
  mutating func failure(
    _ own: SegueError?, _ told: (SegueError.Code, String) -> SegueError
  ) throws(SegueError) -> SegueError? {
    guard isKind("failure", own != nil) else { return nil }
    let code = try self("code", own?.code)
    let words = self("message", own?.message, or: "")
    return own ?? told(code, words)
  }
}

// MARK: In front of other bytes

extension WireFields {
  /// The bytes of the length before a head.
  private static let lengthBytes = 4

  /// As the head in front of other bytes: a big-endian length, and the encoding.
  func head() throws(SegueError) -> [UInt8] {
    let bytes = try CBOR.encode(.dictionary(entries))
    let length = UInt32(truncatingIfNeeded: bytes.count)
    return (0..<Self.lengthBytes).map { UInt8(truncatingIfNeeded: length >> (24 &- 8 &* UInt32($0))) } + bytes
  }

  /// Reads the head of what has arrived so far. Nil: not all of it is here. `length`: where the other bytes begin. Throws
  /// for one that is longer than `most`, as soon as its length is known, or malformed.
  static func head(
    of bytes: [UInt8], atMost most: Int = .max
  ) throws(SegueError) -> (fields: WireFields, length: Int)? {
    guard bytes.count >= lengthBytes else { return nil }
    let length = bytes[..<lengthBytes].reduce(0) { $0 << 8 | Int($1) }
    guard length <= most else { throw LinkMessage.malformed }
    guard length <= bytes.count &- lengthBytes else { return nil }
    let end = lengthBytes &+ length
    return (try WireFields(reading: Array(bytes[lengthBytes..<end])), end)
  }
}

/// The head of the answer on a channel, in front of the channel's bytes.
public protocol ChannelHead: WireMessage {}

extension ChannelHead {
  /// A big-endian length, and the head.
  public func encode() throws(SegueError) -> [UInt8] { try WireFields(of: self).head() }

  /// Reads the head from what has arrived so far. Nil: not all of it is here. `length`: where the channel's bytes begin.
  /// Throws `protocolViolation` for one that is too long, as soon as its length is known, or malformed.
  public static func decode(_ bytes: [UInt8]) throws(SegueError) -> (head: Self, length: Int)? {
    guard let head = try WireFields.head(of: bytes, atMost: Limits.streamHeadLength) else { return nil }
    var fields = head.fields
    return (try Self(&fields, nil), head.length)
  }
}
