import ArgumentParser
import SegueCore

struct DefaultCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "default",
    abstract: "Choose the application that continues a type of activity.",
    discussion: """
      It counts where several applications here can continue an activity, and the one of the same application id is \
      not among them. Without arguments, the choices are listed.

      Examples:
        segue default
        segue default org.example.reading org.example.Reader
        segue default org.example.reading --unset
      """)

  @Argument(help: "The activity type.")
  var type: String?

  @Argument(help: "The application's id.")
  var app: String?

  @Flag(help: "Take the choice for the type back.")
  var unset = false

  @Flag(help: "Print JSON: an object with application ids by activity type.")
  var json = false

  func validate() throws {
    if unset, type == nil || app != nil { throw ValidationError("Give --unset the activity type, and nothing else.") }
    if type != nil, app == nil, !unset { throw ValidationError("Say which application, or --unset.") }
  }

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    guard let type else {
      let defaults = try daemon.defaults()
      return try Terminal.print(
        json ? JSONText.object(defaults.map { ($0.type, JSONText.string($0.app)) }) : Self.text(defaults))
    }
    try daemon.call(.setDefault, [.string(type), .string(app ?? "")])
    let shown = DisplayText.clean(type)
    try Terminal.print(
      app.map { "\(DisplayText.clean($0)) continues \(shown)." } ?? "No application is chosen for \(shown) any more.")
  }

  /// The listing for a person.
  static func text(_ defaults: [(type: String, app: String)]) -> String {
    guard !defaults.isEmpty else { return "No application was chosen for any type." }
    var table = Table(["TYPE", "APPLICATION"])
    for (type, app) in defaults { table.add([type, app]) }
    return table.lines(fitting: Terminal.width).joined(separator: "\n")
  }
}
