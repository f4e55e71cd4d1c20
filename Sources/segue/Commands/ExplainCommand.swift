import ArgumentParser
import SegueControl
import SegueCore

struct ExplainCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Say of each activity and device whether it is offered, and if not, the first reason why.",
    discussion: """
      Without an argument it explains everything that this device's applications do and that other devices offer. \
      For an activity type or an application that nobody has anything of, it says how far that application has come; for \
      a link, which application opens it here.

      Examples:
        segue explain
        segue explain 3f2a                    one activity, by the start of its id
        segue explain org.example.Editor      an application
        segue explain org.example.editing     an activity type
        segue explain https://example.com/a   a link
      """)

  @Argument(
    help: "An activity's id or the start of it, an activity type, an application id, or a link.",
    completion: ShellCompletion.activities)
  var subject: String?

  @Flag(help: "Print JSON: an array of objects.")
  var json = false

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    let rows: [ExplanationRow] = try daemon.ask(.explain, [.string(subject ?? "")])
    try Terminal.print(json ? JSONText.array(rows) : Self.text(rows))
  }

  /// A paragraph for each activity, a line in it for each device.
  static func text(_ rows: [ExplanationRow]) -> String {
    var lines: [String] = []
    var heading = ""
    for row in rows {
      let this = Self.heading(row)
      if this != heading {
        if !lines.isEmpty { lines.append("") }
        lines.append(this)
        heading = this
        lines += [row.currentReason, row.warning].compactMap { $0 }.filter { !$0.isEmpty }.map(line)
      }
      lines.append(line(row.sentence))
    }
    return lines.isEmpty
      ? "No application here does anything that could be offered, and no other device offers anything."
      : lines.joined(separator: "\n")
  }

  private static func line(_ sentence: String) -> String {
    "  " + DisplayText.clean(sentence, maximum: Limits.sentenceLength)
  }

  private static func heading(_ row: ExplanationRow) -> String {
    let application = DisplayText.clean(row.appName.isEmpty ? row.appID : row.appName)
    let type = DisplayText.clean(row.type ?? "")
    guard let id = row.id, !id.isEmpty else { return application.isEmpty ? type : application }
    let title = row.title.map { DisplayText.quoted($0, maximum: Limits.titleMaximum) + ", " } ?? ""
    let place = row.from.map { "on \(Device.quoted($0))" } ?? "on this device"
    return "\(DisplayText.clean(id).prefix(8))  \(title)\(type) of \(application) \(place)"
  }
}
