import ArgumentParser
import Glibc
import SegueControl
import SegueCore
import SegueFiles

struct SendCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Send what you are doing, a text, or files, to another device.",
    discussion: """
      The other device shows a notification, and goes on when its user clicks it; it opens at once only if its user \
      has allowed this device that, with `segue receive`. Without --offer, --text or --file, the newest activity on offer \
      here is sent. The command ends when the other device has taken it, or has refused.

      Files lie in the other device's folder for downloads once its user has clicked. The command waits for that, for at \
      most 10 minutes; if you end it before, they are withdrawn.

      A phone that KDE Connect, GSConnect or Valent has paired and reaches gets the link of a page or a film, without its \
      state, if that program runs. --list shows where things can be sent now.

      Examples:
        segue send lap
        segue send lap --offer 3f2a      the activity whose id begins with 3f2a (at least 4 digits)
        segue send lap --text "Platform 7, 18:04"
        git diff | segue send lap --text -
        segue send lap --file report.pdf photo.jpg
        segue send --list

      A text has at most 16 KiB. `segue activities` lists what is on offer here at its end.
      """)

  @Argument(
    help: "The device's name, its id, or the start of its id (at least 4 letters); or a phone's name or id.",
    completion: ShellCompletion.receivers)
  var device: String?

  @Option(
    help: "The activity of this device, by its id or the start of it.", completion: ShellCompletion.ownActivities)
  var offer: String?

  @Option(help: "The text to send; - reads it from standard input.")
  var text: String?

  @Option(parsing: .upToNextOption, help: "Files to send, up to 64.", completion: .file())
  var file: [String] = []

  @Flag(help: "List the devices and phones to which something can be sent now.")
  var list = false

  @Flag(help: "With --list: print JSON, an object of two arrays.")
  var json = false

  func validate() throws {
    guard !list else {
      guard device == nil, offer == nil, text == nil, file.isEmpty else {
        throw ValidationError("--list stands alone, or with --json.")
      }
      return
    }
    guard device != nil else { throw ValidationError("Say to which device, or give --list.") }
    guard !json else { throw ValidationError("--json goes with --list.") }
    guard [offer != nil, text != nil, !file.isEmpty].count(where: { $0 }) < 2 else {
      throw ValidationError("Give one of --offer, --text and --file.")
    }
  }

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    let rows: [DeviceRow] = try daemon.ask(.listDevices)
    guard let device else { return try Receivers.list(rows, try daemon.ask(.listPhones), asJSON: json) }
    let devices = rows.map { Device($0) }
    // The programs that reach phones are asked only where none of our own devices is meant.
    if IDStart.devices(device, among: devices, name: \.name, id: \.id).isEmpty,
      let phone = try Receivers.phone(device, among: try daemon.ask(.listPhones))
    {
      return try sendLink(to: phone, daemon)
    }
    let target = try CommandFailure.mapping(.failed) { () throws(SegueError) in
      try Selection.device(device, among: devices)
    }
    guard file.isEmpty else { return try sendFiles(to: target) }
    let content = try text.map { text throws(CommandFailure) in text == "-" ? try Self.input() : text }
    try daemon.call(.send, [.string(target.id), SendOptions(offer: try chosen(daemon), text: content).busValue])
    try Terminal.print("Sent to \(target.label).")
  }

  /// The id of the activity that --offer means.
  private func chosen(_ daemon: DaemonClient) throws(CommandFailure) -> String? {
    guard let offer else { return nil }
    let activities: [ActivityRow] = try daemon.ask(.listActivities)
    return try CommandFailure.mapping(.failed) { () throws(SegueError) in
      try Selection.offer(offer, among: activities.map { ShownOffer($0) }).id
    }
  }

  private func sendLink(to phone: PhoneRow, _ daemon: DaemonClient) throws(CommandFailure) {
    guard text == nil, file.isEmpty else {
      throw CommandFailure(
        .failed,
        SegueError(
          .invalidArgument, "\(DisplayText.quoted(phone.name)) is a phone, which only gets the link of a page.",
          advice: "Send texts and files with \(phone.program) itself."))
    }
    try daemon.call(.send, [.string(phone.id), SendOptions(offer: try chosen(daemon)).busValue])
    try Terminal.print(
      "Sent to \(DisplayText.quoted(phone.name)) with \(DisplayText.clean(phone.program)), as a link, without its state."
    )
  }

  private func sendFiles(to target: Device) throws(CommandFailure) {
    let paths = file.map { AbsolutePath.of($0) }
    let client = try CommandFailure.mapping(.unreachable) { () throws(SegueError) in try FilesClient() }
    defer { client.close() }
    let report = try CommandFailure.mapping(.failed) { () throws(SegueError) in
      let number = try client.offer(paths, to: target.id)
      Terminal.note("\(target.label) shows it, and has it when its user clicks.")
      return try client.finish(number)
    }
    let count = report.count == 1 ? "1 file" : "\(report.count) files"
    try Terminal.print("\(target.label) has \(count).")
    guard let first = report.failures.first else { return }
    let others = report.failures.count > 1 ? " And \(report.failures.count - 1) more." : ""
    throw CommandFailure(.failed, SegueError(.handoffFailed, "Not all of it is there: \(first)\(others)"))
  }

  /// The text on standard input; reading ends when it has more bytes than may be sent.
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
