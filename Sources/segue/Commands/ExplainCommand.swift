import ArgumentParser
import SegueBus
import SegueCore

struct ExplainCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Say of each activity and device whether it is offered, and if not, the first reason why.",
    discussion: """
      Without an argument it explains everything that this device's applications do and that other devices offer. \
      For an activity type or an application that nobody has anything of, it says how far that application has come.

      Examples:
        segue explain
        segue explain 3f2a                    one activity, by the start of its id
        segue explain org.example.Editor      an application
        segue explain org.example.editing     an activity type
      """)

  @Argument(
    help: "An activity's id or the start of it, an activity type, or an application id.",
    completion: Completion.activities)
  var subject: String?

  @Flag(help: "Print JSON: an array of objects.")
  var json = false

  func run(_ daemon: Daemon) throws(CommandFailure) {
    let rows = try daemon.list("Explain", [.string(subject ?? "")])
    try Terminal.print(json ? JSONText.array(rows) : Self.text(rows))
  }

  /// A paragraph for each activity, a line in it for each device.
  static func text(_ rows: [BusDictionary]) -> String {
    var lines: [String] = []
    var heading = ""
    for row in rows {
      func text(_ key: String) -> String { DisplayText.clean(row[key]?.asString ?? "", maximum: 1_024) }
      let this = Self.heading(row)
      if this != heading {
        if !lines.isEmpty { lines.append("") }
        lines.append(this)
        heading = this
        if !text("current-reason").isEmpty { lines.append("  " + text("current-reason")) }
        if !text("warning").isEmpty { lines.append("  " + text("warning")) }
      }
      lines.append("  " + text("sentence"))
    }
    return lines.isEmpty
      ? "No application here does anything that could be offered, and no other device offers anything."
      : lines.joined(separator: "\n")
  }

  private static func heading(_ row: BusDictionary) -> String {
    func text(_ key: String) -> String { DisplayText.clean(row[key]?.asString ?? "") }
    let application = text("app-name").isEmpty ? text("app-id") : text("app-name")
    guard !text("id").isEmpty else { return application.isEmpty ? text("type") : application }
    let title = text("title").isEmpty ? "" : "\"\(text("title"))\", "
    let place = row["from"] == nil ? "on this device" : "on \(text("from"))"
    return "\(text("id").prefix(8))  \(title)\(text("type")) of \(application) \(place)"
  }
}
