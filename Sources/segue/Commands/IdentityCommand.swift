import ArgumentParser
import SegueControl
import SegueCore

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

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    let status: DaemonStatus = try daemon.ask(.getStatus)
    let identity = DeviceIdentity(status)
    try Terminal.print(json ? Self.json(identity) : Self.text(identity))
  }

  static func json(_ identity: DeviceIdentity) -> String {
    let members = identity.dictionary.entries.map { ($0.key, JSONText.value($0.value)) }
    return JSONText.object(members + [("command", JSONText.string(command(identity)))])
  }

  /// The page for a person; the command stands alone on its line, to be copied.
  static func text(_ identity: DeviceIdentity) -> String {
    var table = Table()
    table.add(["name", identity.deviceName])
    table.add(["id", identity.deviceID], maximum: .max)
    if let id = DeviceID(recorded: identity.deviceID) { table.add(["words", id.words]) }
    table.add(["addresses", identity.addresses.isEmpty ? "none" : identity.addresses.joined(separator: " ")])
    return (table.lines + ["", "On the other device, run:", "", command(identity)]).joined(separator: "\n")
  }

  /// `segue device add …`, quoted for a shell.
  static func command(_ identity: DeviceIdentity) -> String {
    var words = ["segue", "device", "add", identity.deviceID] + identity.addresses
    if !identity.deviceName.isEmpty { words += ["--name", DisplayText.clean(identity.deviceName)] }
    return words.map(ShellText.quote).joined(separator: " ")
  }
}
