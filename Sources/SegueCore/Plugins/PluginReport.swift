/// A line of what the process that tries a plugin reports, as it goes on: `segue plugin check` reads it. The plugin may
/// end that process at any time, and has its descriptors too.
public enum PluginReport: Equatable, Sendable {
  /// The next step, worded to follow "in": "the getter of position/line".
  case stage(String)
  /// `severity` is error, warning or note.
  case finding(severity: String, message: String, advice: String)
  /// Every step was tried.
  case done

  public init?(line: String) {
    let parts = line.parts(at: "\t", omittingEmpty: false)
    switch parts.first {
    case "stage" where parts.count == 2: self = .stage(parts[1])
    case "error" where parts.count == 3, "warning" where parts.count == 3, "note" where parts.count == 3:
      self = .finding(severity: parts[0], message: parts[1], advice: parts[2])
    case "done" where parts.count == 1: self = .done
    default: return nil
    }
  }

  /// Without the end of the line.
  public var line: String {
    switch self {
    case .stage(let what): "stage\t" + Self.clean(what)
    case .finding(let severity, let message, let advice):
      severity + "\t" + Self.clean(message) + "\t" + Self.clean(advice)
    case .done: "done"
    }
  }

  /// In one line and without tabs.
  private static func clean(_ text: String) -> String { DisplayText.clean(text, maximum: Limits.sentenceLength) }
}
