import ArgumentParser
import SegueControl
import SegueCore
import SegueState

struct PauseCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Share nothing for a while.",
    discussion: """
      Other devices are offered nothing of this one then, and what they offer is not shown here. It counts at once, and \
      survives a restart. What has been continued goes on. `segue resume` ends it.

      Examples:
        segue pause                until you resume
        segue pause 1h             for an hour; also 30min, 3d
        segue pause 18:30          until then
        segue pause tomorrow       until six in the morning
        segue pause --network      whenever this device is in the network that it is in now
      """)

  @Argument(help: "For how long, or until when.")
  var time: String?

  @Flag(help: "Whenever this device is in its present network.")
  var network = false

  func validate() throws {
    if network, time != nil { throw ValidationError("A network has no end: leave the time out, or --network.") }
    if let time, PauseTime.end(time, now: secondsSince1970()) == nil {
      throw ValidationError(
        "This is not a time: \(DisplayText.clean(time)). Give one as 30min, 2h, 3d, 18:30 or tomorrow.")
    }
  }

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    guard !network else {
      try daemon.call(.setPauseHere, [.bool(true)])
      return try Terminal.print("Nothing is shared in this network.")
    }
    let now = secondsSince1970()
    let until = time.flatMap { PauseTime.end($0, now: now) }
    try daemon.call(.setPause, [.bool(true), .uint64(until ?? 0)])
    try Terminal.print(
      "Nothing is shared until \(until.map { WallTime.text($0, now: now) } ?? "you say: segue resume").")
  }
}
