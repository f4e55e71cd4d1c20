// The messages that devices send to each other over the link: CBOR dictionaries with short text keys, as
// docs/link-protocol.md lists them. A peer's messages are checked here before any other code uses them.

/// A message on the control channel.
public enum LinkMessage: WireMessage, Equatable, Sendable {
  /// Everything that the device has on offer, in place of what it said before; and the kinds of proposals that it takes.
  case offers(sequence: UInt64, [Offer], takes: [Proposal.Kind] = [])
  /// The receiver's activity was continued on the sending device (semantics V11). It is said again on a new link until
  /// it was acknowledged (semantics X9); the continuation's id tells what was said before.
  case continued(ContinuedNotice)
  /// The receiver's `continued` of that continuation has arrived.
  case acknowledged(continuation: Identifier)
  /// Where the sending device can be dialled now.
  case addresses([LinkAddress])
  /// The user of the sending device wants the receiver to be paired with this one.
  case introduce(Introduction)
  /// The user of the sending device sends this to the receiver's user.
  case propose(Proposal)
  /// The receiver's proposal was taken, or refused.
  case proposed(ProposalAnswer)

  /// The size of a message is rounded up to this, so that it does not tell which application it is about.
  private static let bucket = 256

  /// Offers and addresses that this version does not understand are left out.
  public init(_ fields: inout WireFields, _ own: LinkMessage?) throws(SegueError) {
    if fields.isKind("offers", own?.asOffers != nil) {
      let offers = own?.asOffers
      self = .offers(
        sequence: try fields("sequence", offers?.sequence),
        try fields.list("offers", offers?.list, atMost: Limits.offersPerDevice),
        takes: try fields.list("takes", (offers?.takes).flatMap { $0.isEmpty ? nil : $0 }, or: []))
    } else if fields.isKind("continued", own?.asNotice != nil) {
      self = .continued(try ContinuedNotice(&fields, own?.asNotice))
    } else if fields.isKind("acknowledged", own?.asAcknowledged != nil) {
      self = .acknowledged(continuation: try fields("continuation", own?.asAcknowledged))
    } else if fields.isKind("addresses", own?.asAddresses != nil) {
      self = .addresses(try fields.list("addresses", own?.asAddresses, atMost: Limits.deviceAddresses))
    } else if fields.isKind("introduce", own?.asIntroduction != nil) {
      self = .introduce(try Introduction(&fields, own?.asIntroduction))
    } else if fields.isKind("propose", own?.asProposal != nil) {
      self = .propose(try Proposal(&fields, own?.asProposal))
    } else if fields.isKind("proposed", own?.asAnswer != nil) {
      self = .proposed(try ProposalAnswer(&fields, own?.asAnswer))
    } else {
      throw fields.malformed
    }
  }

  private var asOffers: (sequence: UInt64, list: [Offer], takes: [Proposal.Kind])? {
    if case .offers(let sequence, let list, let takes) = self { (sequence, list, takes) } else { nil }
  }
  private var asNotice: ContinuedNotice? { if case .continued(let notice) = self { notice } else { nil } }
  private var asAcknowledged: Identifier? { if case .acknowledged(let id) = self { id } else { nil } }
  private var asAddresses: [LinkAddress]? { if case .addresses(let addresses) = self { addresses } else { nil } }
  private var asIntroduction: Introduction? { if case .introduce(let other) = self { other } else { nil } }
  private var asProposal: Proposal? { if case .propose(let proposal) = self { proposal } else { nil } }
  private var asAnswer: ProposalAnswer? { if case .proposed(let answer) = self { answer } else { nil } }

  public func encode() throws(SegueError) -> [UInt8] {
    var entries = WireFields(of: self).entries
    // Between 256 and 511 bytes, so that the length of the padding's own head does not change with it.
    entries["padding"] = .data([UInt8](repeating: 0, count: Self.bucket))
    let missing = (Self.bucket &- (try CBOR.encode(.dictionary(entries)).count) % Self.bucket) % Self.bucket
    entries["padding"] = .data([UInt8](repeating: 0, count: Self.bucket &+ missing))
    return try CBOR.encode(.dictionary(entries))
  }

  /// Throws `protocolViolation` for anything malformed.
  public static func decode(_ bytes: [UInt8]) throws(SegueError) -> LinkMessage {
    var fields = try WireFields(reading: bytes)
    return try LinkMessage(&fields, nil)
  }

  public static var malformed: SegueError {
    SegueError(.protocolViolation, "The other device sent something that this version does not understand.")
  }
}

extension Offer: WireMessage {
  /// Text for display is cleaned.
  public init(_ fields: inout WireFields, _ own: Offer?) throws(SegueError) {
    self.init(
      id: try fields("id", own?.id), revision: try fields("revision", own?.revision),
      type: try fields("type", own?.type), appID: try fields("app", own?.appID),
      title: fields.optional("title", own?.title).map { DisplayText.clean($0) },
      webHost: fields.optional("host", own?.webHost).map { DisplayText.clean($0, maximum: Limits.nameLength) },
      version: try fields("version", own?.version),
      // The weakest where it is not said, or of a kind that a later version knows.
      tier: fields("tier", own?.tier, or: .user),
      team: fields.optional("team", own?.team).map { DisplayText.clean($0, maximum: Limits.nameLength) },
      isChanged: fields.flag("changed", own?.isChanged), timeLeft: fields.optional("life", own?.timeLeft),
      isSnapshot: fields.flag("stored", own?.isSnapshot), mayBeKept: fields.flag("keep", own?.mayBeKept))
    if let from = fields.optional("from", own?.continuedFrom?.id),
      let revision = fields.optional("fromrevision", own?.continuedFrom?.revision)
    {
      continuedFrom = ActivityReference(id: from, revision: revision)
    }
    age = fields.optional("age", own?.age)
    if let folder = fields.optional("folder", own?.file?.folder), OfferFile.isFolder(folder) {
      file = OfferFile(folder: folder, isGiven: fields.flag("gives", own?.file?.isGiven))
    }
  }
}
