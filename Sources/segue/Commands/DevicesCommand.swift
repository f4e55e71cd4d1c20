import ArgumentParser
import SegueControl

struct DevicesCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List the paired devices.",
    discussion: """
      Examples:
        segue devices
        segue devices --json | jq -r '.[] | select(.online) | .name'
      """)

  @Flag(help: "Print JSON: an array of objects.")
  var json = false

  func run(_ daemon: Daemon) throws(CommandFailure) {
    let devices: [DeviceRow] = try daemon.ask(.listDevices)
    try Terminal.print(json ? JSONText.array(devices) : Self.text(devices.map { Device($0) }))
  }

  /// The listing for a person.
  static func text(_ devices: [Device]) -> String {
    guard !devices.isEmpty else {
      return "No device is paired. Run `segue pair` on the other one, and here the line that it prints."
    }
    var table = Table(["ID", "NAME", "STATE", "ADDRESSES"])
    for device in devices {
      table.add([
        device.shortID, device.name, device.isOnline ? "online" : "offline", device.addresses.joined(separator: " "),
      ])
    }
    return table.lines(fitting: Terminal.width).joined(separator: "\n")
  }
}
