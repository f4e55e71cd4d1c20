import SegueCore

/// A code that is copied from one device to the other, as text or as a picture: who the device is, where it can be
/// dialled, a secret that is good once, and until when.
public struct PairingCode: WireMessage, Equatable, Sendable {
  public var device: DeviceID
  public var secret: [UInt8]
  /// Seconds since 1970.
  public var expires: UInt64
  public var addresses: [LinkAddress]

  static let secretLength = 16
  private static let scheme = "segue:"

  public init(device: DeviceID, secret: [UInt8], expires: UInt64, addresses: [LinkAddress]) {
    self.device = device
    self.secret = secret
    self.expires = expires
    self.addresses = addresses
  }

  public init(_ fields: inout WireFields, _ own: PairingCode?) throws(SegueError) {
    self.init(
      device: try fields.device("d", "c", own?.device),
      secret: try fields("s", own?.secret) { $0.count == Self.secretLength }, expires: try fields("e", own?.expires),
      addresses: try fields.list("a", own?.addresses, atMost: Limits.deviceAddresses, isWhole: true) { $0.port > 0 })
  }

  /// One line of upper-case letters and digits, which a picture holds in fewer dots than other text.
  public var text: String {
    Self.upper(Self.scheme + Base32.text((try? CBOR.encode(field)) ?? []))
  }

  /// The same code with its first addresses only, as many as fit in a picture on a screen of 24 lines; at least one.
  public var brief: PairingCode {
    var code = self
    while code.addresses.count > 1, code.text.utf8.count > Limits.pairingPictureLength { code.addresses.removeLast() }
    return code
  }

  /// Reads a code in the form that the property `text` has, in upper or lower case, with white space around it or in
  /// it. Throws `invalidArgument`.
  public init(_ text: String) throws(SegueError) {
    let malformed = SegueError(
      .invalidArgument, "This is not a device's code, or not all of it.",
      advice: "Copy the whole line that \"segue pair --code\" prints.")
    let bytes = text.utf8.filter { $0 > UInt8(ascii: " ") }
    let prefix = Array(Self.scheme.utf8)
    guard bytes.count <= Limits.pairingCodeLength,
      bytes.prefix(prefix.count).elementsEqual(prefix, by: { $0 | 0x20 == $1 | 0x20 }),
      let decoded = Base32.decode(Array(bytes.dropFirst(prefix.count))).flatMap({ Base32.bytes($0[...]) })
    else { throw malformed }
    var fields = try WireFields(reading: decoded, or: malformed)
    try self.init(&fields, nil)
  }

  private static func upper(_ text: String) -> String {
    String(
      decoding: text.utf8.map { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") ? $0 - 32 : $0 }, as: UTF8.self)
  }
}
