// The messages that devices send to each other over the link: CBOR dictionaries with short text keys, as
// docs/link-protocol.md lists them. A peer's messages are checked here before any other code uses them.

/// A message on the control channel.
public enum LinkMessage: Equatable, Sendable {
  /// Everything that the device has on offer, in place of what it said before.
  case offers(sequence: UInt64, [Offer])
  /// The receiver's activity was continued on the sending device (semantics V11). It is said again on a new link until
  /// it was acknowledged (semantics X9); the continuation's id tells what was said before.
  case continued(ContinuedNotice)
  /// The receiver's `continued` of that continuation has arrived.
  case acknowledged(continuation: Identifier)
  /// Where the sending device can be dialled now.
  case addresses([LinkAddress])
  /// The user of the sending device wants the receiver to be paired with this one.
  case introduce(Introduction)

  /// The size of a message is rounded up to this, so that it does not tell which application it is about.
  private static let bucket = 256

  public func encode() throws(SegueError) -> [UInt8] {
    var entries: [Value: Value]
    switch self {
    case .offers(let sequence, let offers):
      entries = [
        "kind": "offers", "sequence": .integer(Int64(clamping: sequence)),
        "offers": .array(offers.map { $0.value }),
      ]
    case .continued(let notice):
      entries = notice.entries
      entries["kind"] = "continued"
    case .acknowledged(let continuation):
      entries = ["kind": "acknowledged", "continuation": .uuid(continuation)]
    case .addresses(let addresses):
      entries = ["kind": "addresses", "addresses": .array(addresses.map { .string($0.description) })]
    case .introduce(let introduction):
      entries = introduction.entries
      entries["kind"] = "introduce"
    }
    // Between 256 and 511 bytes, so that the length of the padding's own head does not change with it.
    entries["padding"] = .data([UInt8](repeating: 0, count: Self.bucket))
    let missing = (Self.bucket &- (try CBOR.encode(.dictionary(entries)).count) % Self.bucket) % Self.bucket
    entries["padding"] = .data([UInt8](repeating: 0, count: Self.bucket &+ missing))
    return try CBOR.encode(.dictionary(entries))
  }

  /// Throws `protocolViolation` for anything malformed; offers and addresses that this version does not understand are
  /// left out.
  public static func decode(_ bytes: [UInt8]) throws(SegueError) -> LinkMessage {
    let entries = try dictionary(bytes)
    switch entries["kind"]?.string {
    case "offers":
      guard let sequence = entries["sequence"]?.integer, sequence >= 0, let offers = entries["offers"]?.array,
        offers.count <= Limits.offersPerDevice
      else { throw malformed }
      return .offers(sequence: UInt64(sequence), offers.compactMap { Offer($0) })
    case "continued":
      guard let notice = ContinuedNotice(entries) else { throw malformed }
      return .continued(notice)
    case "acknowledged":
      guard let continuation = entries["continuation"]?.uuid else { throw malformed }
      return .acknowledged(continuation: continuation)
    case "addresses":
      guard let texts = entries["addresses"]?.array, texts.count <= Limits.deviceAddresses else { throw malformed }
      return .addresses(texts.compactMap { $0.string.flatMap { LinkAddress($0) } })
    case "introduce":
      guard let introduction = Introduction(entries) else { throw malformed }
      return .introduce(introduction)
    default:
      throw malformed
    }
  }

  static func dictionary(_ bytes: [UInt8]) throws(SegueError) -> [Value: Value] {
    let value: Value
    do throws(SegueError) { value = try CBOR.decode(bytes) } catch { throw malformed }
    guard case .dictionary(let entries) = value else { throw malformed }
    return entries
  }

  static var malformed: SegueError {
    SegueError(.protocolViolation, "The other device sent something that this version does not understand.")
  }
}

extension Offer {
  /// The offer as a message carries it.
  public var value: Value {
    var entries: [Value: Value] = [
      "id": .uuid(id), "revision": .integer(Int64(clamping: revision)),
      "type": .string(type.string), "app": .string(appID.string),
      "version": .integer(Int64(clamping: version)),
    ]
    if let title { entries["title"] = .string(title) }
    if let webHost { entries["host"] = .string(webHost) }
    entries["tier"] = .integer(Int64(tier.rawValue))
    if let team { entries["team"] = .string(team) }
    if isChanged { entries["changed"] = true }
    if let continuedFrom {
      entries["from"] = .uuid(continuedFrom.id)
      entries["fromrevision"] = .integer(Int64(clamping: continuedFrom.revision))
    }
    if let timeLeft { entries["life"] = .integer(Int64(clamping: timeLeft)) }
    if let age { entries["age"] = .integer(Int64(clamping: age)) }
    if isSnapshot { entries["stored"] = true }
    if mayBeKept { entries["keep"] = true }
    return .dictionary(entries)
  }

  /// Nil where a field is missing or malformed. Text for display is cleaned.
  public init?(_ value: Value) {
    guard case .dictionary(let entries) = value, let id = entries["id"]?.uuid,
      let revision = entries["revision"]?.integer, revision >= 0,
      let type = entries["type"]?.string.flatMap({ ActivityType($0) }),
      let appID = entries["app"]?.string.flatMap({ AppID($0) }), let version = entries["version"]?.integer, version >= 0
    else { return nil }
    self.init(
      id: id, revision: UInt64(revision), type: type, appID: appID,
      title: entries["title"]?.string.map { DisplayText.clean($0) },
      webHost: entries["host"]?.string.map { DisplayText.clean($0, maximum: Limits.nameLength) },
      version: UInt64(version))
    // The weakest where it is not said, or of a kind that a later version knows.
    tier = entries["tier"]?.integer.flatMap { UInt8(exactly: $0) }.flatMap { .init(rawValue: $0) } ?? .user
    team = entries["team"]?.string.map { DisplayText.clean($0, maximum: Limits.nameLength) }
    isChanged = entries["changed"]?.bool ?? false
    if let from = entries["from"]?.uuid, let revision = entries["fromrevision"]?.integer, revision >= 0 {
      continuedFrom = ActivityReference(id: from, revision: UInt64(revision))
    }
    timeLeft = entries["life"]?.integer.flatMap { UInt64(exactly: $0) }
    age = entries["age"]?.integer.flatMap { UInt64(exactly: $0) }
    isSnapshot = entries["stored"]?.bool ?? false
    mayBeKept = entries["keep"]?.bool ?? false
  }
}
