import ArgumentParser
import SegueControl
import SegueCore

struct WithholdCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "withhold",
    abstract: "Keep an application's activities on this device, or offer a device nothing.",
    discussion: """
      It counts at once. Without arguments, the choices are listed; those in segue.conf ([Policy]) are among them.

      Examples:
        segue withhold
        segue withhold org.example.Diary
        segue withhold org.example.Diary --undo
        segue withhold --device kitchen
      """)

  @Argument(help: "The application's id.")
  var app: String?

  @Option(
    help: "The name or id of a device that is to be offered nothing.", completion: ShellCompletion.devices)
  var device: String?

  @Flag(help: "Take the choice back.")
  var undo = false

  @Flag(help: "Print JSON: an object with the lists applications and devices.")
  var json = false

  func validate() throws {
    if app != nil, device != nil { throw ValidationError("Give an application or a device, one at a time.") }
    if undo, app == nil, device == nil { throw ValidationError("Say what is to be taken back.") }
  }

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    if let app {
      try daemon.call(.withholdApplication, [.string(app), .bool(!undo)])
      let shown = DisplayText.clean(app)
      return try Terminal.print(
        undo ? "What \(shown) has is offered again." : "What \(shown) has stays on this device.")
    }
    let devices: [DeviceRow] = try daemon.ask(.listDevices)
    let known = devices.map { Device($0) }
    if let device {
      let target = try CommandFailure.mapping(.failed) { () throws(SegueError) in
        try Selection.device(device, among: known)
      }
      try daemon.call(.withholdFromDevice, [.string(target.id), .bool(!undo)])
      return try Terminal.print(
        undo ? "\(target.label) is offered things again." : "\(target.label) is offered nothing.")
    }
    let status: DaemonStatus = try daemon.ask(.getStatus)
    try Terminal.print(json ? Self.json(status) : Self.text(status, known))
  }

  private static func json(_ status: DaemonStatus) -> String {
    func list(_ items: [String]) -> String { "[" + items.map(JSONText.string).joined(separator: ", ") + "]" }
    return JSONText.object([("applications", list(status.withheld)), ("devices", list(status.withheldFrom))])
  }

  /// The listing for a person.
  static func text(_ status: DaemonStatus, _ devices: [Device]) -> String {
    let names = status.withheldFrom.map { id in
      devices.first { $0.id == id }?.label ?? Device.shorten(DisplayText.clean(id))
    }
    guard !status.withheld.isEmpty || !names.isEmpty else { return "Nothing is withheld." }
    var table = Table(["WITHHELD", "FROM"])
    for app in status.withheld { table.add([app, "all devices"]) }
    for name in names { table.add(["all activities", name]) }
    return table.lines(fitting: Terminal.width).joined(separator: "\n")
  }
}
