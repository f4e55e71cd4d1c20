import ArgumentParser
import SegueControl

struct DeclineCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "decline",
    abstract: "Forget a device that was introduced here.",
    discussion: """
      Examples:
        segue decline
        segue decline phone
      """)

  @Argument(help: "The device's name, its id, or the start of its id (at least 4 letters).")
  var device: String?

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    let target = try AcceptCommand.target(device, daemon)
    try daemon.call(.declineIntroduction, [.string(target.id)])
    try Terminal.print("Declined \(target.label).")
  }
}
