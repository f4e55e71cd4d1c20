import SegueCore

/// The result of segue-associations, as it writes it for the daemon and the command line: a line with a word, a line
/// for a person, and the content.
public struct AssociationReport: Equatable, Sendable {
  public enum Outcome: String, Sendable {
    /// The content is an association file, as it was given or fetched.
    case plain
    /// The same, and it was signed by the host.
    case signed
    /// There is no file, or none that is good.
    case refused
    /// The file is unknown: the domain gave no answer that settles it.
    case unreachable
    /// The content is a signed file that was made.
    case made
  }

  public var outcome: Outcome
  /// Where the content is from, or why there is none: a sentence.
  public var line: String
  public var content: [UInt8]

  public init(_ outcome: Outcome, _ line: String, content: [UInt8] = []) {
    self.outcome = outcome
    self.line = DisplayText.clean(line, maximum: Limits.associationReason)
    self.content = content
  }

  private static let title = "segue-association 1"

  public var bytes: [UInt8] { Array("\(Self.title)\n\(outcome.rawValue)\n\(line)\n".utf8) + content }

  /// Bytes of the longest report.
  public static let maximum = Limits.signedAssociationLength + Limits.associationReason + 64

  /// Nil for anything that segue-associations would not have written.
  public init?(_ bytes: [UInt8]) {
    let newline = UInt8(ascii: "\n")
    let parts = bytes.split(separator: newline, maxSplits: 3, omittingEmptySubsequences: false)
    guard bytes.count <= Self.maximum, parts.count == 4, parts[0].elementsEqual(Self.title.utf8),
      let word = TextCheck.string(Array(parts[1])), let outcome = Outcome(rawValue: word),
      let line = TextCheck.string(Array(parts[2])), DisplayText.isClean(line, maximum: Limits.associationReason)
    else { return nil }
    let isContent = outcome != .refused && outcome != .unreachable
    guard isContent || parts[3].isEmpty, outcome == .made || parts[3].count <= Limits.associationLength else {
      return nil
    }
    self.init(outcome, line, content: Array(parts[3]))
  }

  /// The answer about a domain for the daemon. It parses the content once more in this process, since the process that
  /// fetched it has talked to servers of any origin.
  public var answer: AssociationAnswer {
    switch outcome {
    case .plain, .signed:
      do throws(SegueError) {
        let file = try AssociationFile(content)
        return .file(
          Set(file.continuing.map { $0.application.string }), linking: Set(file.linked.map { $0.application.string }))
      } catch {
        return .refused(DisplayText.clean(error.message, maximum: Limits.associationReason))
      }
    case .refused: return .refused(line)
    case .unreachable: return .unreachable(line)
    case .made: return .unreachable("The file was not fetched.")
    }
  }
}

/// The two forms of an association file, told apart by content.
public enum AssociationForm: Equatable, Sendable {
  case json
  /// CMS in DER.
  case signed
  case neither

  public init(_ bytes: [UInt8]) {
    let space: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
    switch bytes.first(where: { !space.contains($0) }) {
    case UInt8(ascii: "{"): self = .json
    // A sequence. JSON that begins so would be a number.
    case 0x30 where bytes.first == 0x30 && bytes.count > 1 && bytes[1] >= 0x80: self = .signed
    default: self = .neither
    }
  }
}
