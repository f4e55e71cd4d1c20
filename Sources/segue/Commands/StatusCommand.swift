import ArgumentParser
import SegueControl

struct StatusCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show how the daemon is doing.",
    discussion: """
      It starts the daemon where it does not run, so it answers the question "does Segue work here?": exit status 2 \
      means no.
      """)

  @Flag(help: "Print JSON: one object.")
  var json = false

  func run(_ daemon: Daemon) throws(CommandFailure) {
    let status: DaemonStatus = try daemon.ask(.getStatus)
    try Terminal.print(json ? JSONText.object(status.dictionary) : Self.text(status))
  }

  /// The page for a person.
  static func text(_ status: DaemonStatus) -> String {
    var table = Table()
    table.add(["daemon", status.version])
    table.add(["device", "\(status.deviceName) (\(Device.shorten(status.deviceID)))"])
    table.add(["addresses", status.addresses.isEmpty ? "none" : status.addresses.joined(separator: " ")])
    table.add(["applications", "\(status.installed) installed, \(status.connected) connected"])
    table.add(["devices", "\(status.devices) paired, \(status.online) online"])
    table.add(["discovery", discovery(status)])
    return table.lines.joined(separator: "\n")
  }

  private static func discovery(_ status: DaemonStatus) -> String {
    switch status.discovery {
    case "no-network": "waits for a network"
    case "unavailable": status.discoveryProblem
    case let state: state
    }
  }
}
