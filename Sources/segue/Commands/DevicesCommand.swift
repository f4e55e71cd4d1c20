import ArgumentParser
import SegueControl
import SegueState

struct DevicesCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List the paired devices.",
    discussion: """
      Of each device it tells where it is dialled, in this order; where that led to a link the last time; and when the \
      device itself dialled this one. The words are the start of its id: compare them with its own `segue identity`.

      Examples:
        segue devices
        segue devices --json | jq -r '.[] | select(.online) | .name'
      """)

  @Flag(help: "Print JSON: an array of objects.")
  var json = false

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    let devices: [DeviceRow] = try daemon.ask(.listDevices)
    try Terminal.print(json ? JSONText.array(devices) : Self.text(devices.map { Device($0) }, now: secondsSince1970()))
  }

  /// The listing for a person.
  static func text(_ devices: [Device], now: UInt64) -> String {
    guard !devices.isEmpty else {
      return "No device is paired. Run `segue pair` on the other one, and here the line that it prints."
    }
    return devices.map { text($0, now: now) }.joined(separator: "\n\n")
  }

  private static func text(_ device: Device, now: UInt64) -> String {
    var table = Table()
    table.add(["  words", device.words])
    if let introducer = device.introducer { table.add(["  introduced by", introducer]) }
    table.add(["  dialled at", device.dialled], maximum: .max)
    table.add(["  reached at", device.reached ?? "never"])
    table.add(["  reached this one", device.reachedUs(at: now)])
    if device.receiving != .ask {
      table.add(["  what it sends", device.receiving == .open ? "opens at once" : "is refused"])
    }
    let head = device.shortID + (device.name.isEmpty ? "" : "  " + device.name) + "  " + device.state(at: now)
    return ([head] + table.lines + (device.hint.map { ["  \($0)"] } ?? [])).joined(separator: "\n")
  }
}
