import ArgumentParser
import SegueControl
import SegueCore

struct ReceivedCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "received",
    abstract: "Print the text that was sent here last.",
    discussion: """
      The daemon keeps the texts that other devices have sent for an hour, in its memory alone, the last eight of each \
      device.

      Examples:
        segue received
        segue received | wl-copy
        segue received --json | jq -r '.[].text'
      """)

  @Flag(help: "Print JSON: an array of objects, the latest text first.")
  var json = false

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    let rows: [TextRow] = try daemon.ask(.listTexts)
    if json { return try Terminal.print(JSONText.array(rows)) }
    guard let latest = rows.first, let text = latest.text else {
      throw CommandFailure(
        .failed,
        SegueError(.notFound, "No text was sent here in the last hour.", advice: "Send one with: segue send"))
    }
    if Terminal.isInteractive {
      Terminal.note("From \(DisplayText.clean(latest.deviceName)), \(Age.text(latest.age)) ago:")
    }
    try Terminal.printLines(text)
  }
}
