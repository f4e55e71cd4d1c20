import ArgumentParser
import Glibc
import SegueControl
import SegueCore

struct SendCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Send what you are doing, or a text, to another device.",
    discussion: """
      The other device shows a notification, and goes on when its user clicks it; it opens at once only if its user \
      has allowed this device that, with `segue receive`. Without --offer or --text, the newest activity on offer here is \
      sent. The command ends when the other device has taken it, or has refused.

      Examples:
        segue send lap
        segue send lap --offer 3f2a      the activity whose id begins with 3f2a (at least 4 digits)
        segue send lap --text "Platform 7, 18:04"
        git diff | segue send lap --text -

      A text has at most 16 KiB. `segue activities` lists what is on offer here at its end.
      """)

  @Argument(
    help: "The device's name, its id, or the start of its id (at least 4 letters).", completion: ShellCompletion.devices
  )
  var device: String

  @Option(
    help: "The activity of this device, by its id or the start of it.", completion: ShellCompletion.ownActivities)
  var offer: String?

  @Option(help: "The text to send; - reads it from standard input.")
  var text: String?

  func validate() throws {
    guard offer == nil || text == nil else { throw ValidationError("Give --offer or --text, not both.") }
  }

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    let rows: [DeviceRow] = try daemon.ask(.listDevices)
    let activities: [ActivityRow] = offer == nil ? [] : try daemon.ask(.listActivities)
    let content = try text.map { text throws(CommandFailure) in text == "-" ? try Self.input() : text }
    let (target, id) = try CommandFailure.mapping(.failed) { () throws(SegueError) -> (Device, String?) in
      let target = try Selection.device(device, among: rows.map { Device($0) })
      let chosen = try offer.map { text throws(SegueError) in
        try Selection.offer(text, among: activities.map { ShownOffer($0) })
      }
      return (target, chosen?.id)
    }
    try daemon.call(.send, [.string(target.id), SendOptions(offer: id, text: content).busValue])
    try Terminal.print("Sent to \(target.label).")
  }

  /// What standard input has, one byte more than may be sent at most.
  private static func input() throws(CommandFailure) -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while bytes.count <= Limits.sentText {
      let count = Glibc.read(STDIN_FILENO, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    guard let text = TextCheck.string(bytes) else {
      throw CommandFailure(
        .failed,
        SegueError(.invalidArgument, "Standard input is not UTF-8 text.", advice: "Only texts can be sent so."))
    }
    return text
  }
}
