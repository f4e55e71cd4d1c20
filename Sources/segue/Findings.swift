import SegueBus
import SegueCore

/// What a check has found: `severity` (error, warning or note), `message` and `advice`.
enum Findings {
  /// Prints them. Fails if there is an error among them, so that the exit status tells it.
  static func show(_ findings: [BusDictionary], asJSON: Bool) throws(CommandFailure) {
    try Terminal.print(asJSON ? JSONText.array(findings) : text(findings))
    let errors = findings.count { $0["severity"]?.asString == "error" }
    guard errors > 0 else { return }
    throw CommandFailure(
      .failed,
      SegueError(
        .invalidArgument, errors == 1 ? "One thing does not work so." : "\(errors) things do not work so.",
        advice: "Mend what is listed, then check again."))
  }

  static func finding(_ severity: String, _ message: String, _ advice: String) -> BusDictionary {
    ["severity": .string(severity), "message": .string(message), "advice": .string(advice)]
  }

  /// A line for each finding, and under it what to do.
  static func text(_ findings: [BusDictionary]) -> String {
    var lines: [String] = []
    for finding in findings {
      func text(_ key: String) -> String { DisplayText.clean(finding[key]?.asString ?? "", maximum: 1_024) }
      let severity = text("severity")
      lines.append((severity == "note" ? "" : severity + ": ") + text("message"))
      if !text("advice").isEmpty { lines.append("  " + text("advice")) }
    }
    return lines.joined(separator: "\n")
  }
}
