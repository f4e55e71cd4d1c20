import ArgumentParser
import SegueBus

struct IdentityCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "identity",
    abstract: "Show this device's id, and the command that pairs another device with it.",
    discussion: """
      Run it on both devices, and on each of them run the line that the other has printed. Carry the line over a way \
      that you trust: whoever changes the id on the way is paired instead.

      Examples:
        segue identity
        segue identity --json | jq -r .command
      """)

  @Flag(help: "Print JSON: an object with \"device-id\", \"device-name\", \"addresses\" and the \"command\".")
  var json = false

  func run(_ daemon: Daemon) throws(CommandFailure) {
    let dictionary = try daemon.dictionary("GetStatus")
    try Terminal.print(json ? Self.json(dictionary) : Self.text(DaemonStatus(dictionary)))
  }

  /// What of the daemon's status says who this device is, and the line to run.
  static func json(_ dictionary: BusDictionary) -> String {
    let members = ["device-id", "device-name", "addresses"].compactMap { key in
      dictionary[key].map { (key, JSONText.value($0)) }
    }
    return JSONText.object(members + [("command", JSONText.string(command(DaemonStatus(dictionary))))])
  }

  /// The page for a person; the command stands alone on its line, to be copied.
  static func text(_ status: DaemonStatus) -> String {
    var table = Table()
    table.add(["name", status.deviceName])
    table.add(["id", status.deviceID], maximum: .max)
    table.add(["addresses", status.addresses.isEmpty ? "none" : status.addresses.joined(separator: " ")])
    return (table.lines + ["", "On the other device, run:", "", command(status)]).joined(separator: "\n")
  }

  /// `segue device add …`, quoted for a shell.
  static func command(_ status: DaemonStatus) -> String {
    var words = ["segue", "device", "add", status.deviceID] + status.addresses
    if !status.deviceName.isEmpty { words += ["--name", status.deviceName] }
    return words.map(ShellText.quote).joined(separator: " ")
  }
}
