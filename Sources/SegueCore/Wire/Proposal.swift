/// A wish of one device's user: that another device shows an offer of the sending one, or a text, to its own user.
public struct Proposal: Equatable, Sendable {
  /// The kinds of content. A device says which ones it takes; one that says none is older than proposals.
  public enum Kind: String, CaseIterable, Sendable {
    case activity, text
  }

  public enum Content: Equatable, Sendable {
    /// The sending device has it on offer.
    case activity(Identifier)
    /// Lines of plain text.
    case text(String)

    public var kind: Kind {
      switch self {
      case .activity: .activity
      case .text: .text
      }
    }
  }

  public var id: Identifier
  public var content: Content

  public init(id: Identifier, _ content: Content) {
    self.id = id
    self.content = content
  }
}

extension Proposal: WireMessage {
  /// A text is cleaned, and refused where it is empty or too long.
  public init(_ fields: inout WireFields, _ own: Proposal?) throws(SegueError) {
    let id = try fields("proposal", own?.id)
    if let activity = fields.optional("activity", own?.asActivity) {
      self.init(id: id, .activity(activity))
    } else {
      let text = try fields("text", own?.asText) { $0.utf8.count <= Limits.sentText }
      let lines = own == nil ? DisplayText.cleanLines(text) : text
      guard !lines.isEmpty else { throw fields.malformed }
      self.init(id: id, .text(lines))
    }
  }

  private var asActivity: Identifier? { if case .activity(let id) = content { id } else { nil } }
  private var asText: String? { if case .text(let text) = content { text } else { nil } }
}

extension Proposal.Kind: WireField {
  public var field: Value { .string(rawValue) }
  public static func of(field: Value) -> Self? { field.string.flatMap { Self(rawValue: $0) } }
}

/// The answer to a proposal: the device has taken it for its user, or why not.
public struct ProposalAnswer: Equatable, Sendable {
  public var proposal: Identifier
  /// Nil: it was taken.
  public var refusal: SegueError.Code?

  public init(to proposal: Identifier, refusal: SegueError.Code? = nil) {
    self.proposal = proposal
    self.refusal = refusal
  }
}

extension ProposalAnswer: WireMessage {
  /// A code that this version does not know counts as `handoffFailed`.
  public init(_ fields: inout WireFields, _ own: ProposalAnswer?) throws(SegueError) {
    let proposal = try fields("proposal", own?.proposal)
    let isTaken = try fields("taken", own.map { $0.refusal == nil })
    let code = fields.optional("code", own?.refusal)
    self.init(to: proposal, refusal: isTaken ? nil : code ?? .handoffFailed)
  }
}
