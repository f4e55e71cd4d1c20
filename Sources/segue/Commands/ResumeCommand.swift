import ArgumentParser
import SegueControl
import SegueCore
import SegueState

struct ResumeCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Share again after a pause.",
    discussion: """
      Examples:
        segue resume
        segue resume --network     share in the network that this device is in, too
      """)

  @Flag(help: "Share in the present network again.")
  var network = false

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    try daemon.call(network ? .setPauseHere : .setPause, [.bool(false)] + (network ? [] : [.uint64(0)]))
    let status: DaemonStatus = try daemon.ask(.getStatus)
    try Terminal.print(StatusCommand.sharing(status, now: secondsSince1970()) ?? "Segue shares again.")
  }
}
