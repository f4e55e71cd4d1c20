import SegueControl
import SegueCore

/// The findings of a check, as a command shows them.
enum Findings {
  /// Prints them. Fails if there is an error among them, so that the exit status tells it.
  static func show(_ findings: [Finding], asJSON: Bool) throws(CommandFailure) {
    try Terminal.print(asJSON ? JSONText.array(findings) : text(findings))
    let errors = findings.count { $0.severity == .error }
    guard errors > 0 else { return }
    throw CommandFailure(
      .failed,
      SegueError(
        .invalidArgument, errors == 1 ? "One thing does not work so." : "\(errors) things do not work so.",
        advice: "Fix what is listed, then check again."))
  }

  /// A line for each finding, and under it what to do.
  static func text(_ findings: [Finding]) -> String {
    var lines: [String] = []
    for finding in findings {
      let advice = DisplayText.clean(finding.advice, maximum: Limits.sentenceLength)
      let severity = finding.severity == .note ? "" : finding.severity.rawValue + ": "
      lines.append(severity + DisplayText.clean(finding.message, maximum: Limits.sentenceLength))
      if !advice.isEmpty { lines.append("  " + advice) }
    }
    return lines.joined(separator: "\n")
  }
}
