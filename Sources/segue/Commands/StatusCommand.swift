import ArgumentParser
import SegueControl
import SegueCore
import SegueState

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

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    let status: DaemonStatus = try daemon.ask(.getStatus)
    try Terminal.print(json ? JSONText.object(status.dictionary) : Self.text(status, now: secondsSince1970()))
  }

  /// The page for a person.
  static func text(_ status: DaemonStatus, now: UInt64) -> String {
    var table = Table()
    table.add(["daemon", status.version])
    table.add(["device", "\(status.deviceName) (\(Device.shorten(status.deviceID)))"])
    table.add(["addresses", status.addresses.isEmpty ? "none" : status.addresses.joined(separator: " ")])
    table.add(["applications", "\(status.installed) installed, \(status.connected) connected"])
    table.add(["devices", "\(status.devices) paired, \(status.online) online"])
    table.add(["discovery", discovery(status)], maximum: .max)
    if let sharing = sharing(status, now: now) { table.add(["sharing", sharing], maximum: .max) }
    if status.introductions > 0 {
      table.add(["introductions", "\(status.introductions) wait for your word: segue introductions"])
    }
    let devices = status.paired.map { Device($0) }
    for device in devices {
      let reached = device.reached.map { "reached at \($0)" } ?? "never reached from here"
      let came = device.reachedUs.map { _ in "reached this one \(device.reachedUs(at: now))" }
      let facts = [
        device.state(at: now), "dialled at \(device.dialled)", reached, came ?? "has never reached this one",
      ]
      table.add(["", "\(device.label): \(facts.joined(separator: "; "))"], maximum: .max)
    }
    let notes = status.notes.map { DisplayText.clean($0, maximum: Limits.sentenceLength) }
    return (table.lines + notes + devices.compactMap { device in device.hint.map { "\(device.label): \($0)" } })
      .joined(separator: "\n")
  }

  /// One sentence if nothing is shared now.
  static func sharing(_ status: DaemonStatus, now: UInt64) -> String? {
    guard status.isPaused else { return nil }
    if status.isPausedHere { return "Nothing is shared in this network; to change that: segue resume --network" }
    let end = status.pausedUntil.map { "paused until \(WallTime.text($0, now: now))" } ?? "paused"
    return "\(end); to go on: segue resume"
  }

  private static func discovery(_ status: DaemonStatus) -> String {
    switch status.discovery {
    case "no-network": "waits for a network"
    case "unavailable": status.discoveryProblem
    case let state: state
    }
  }
}
