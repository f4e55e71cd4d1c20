import ArgumentParser
import SegueControl
import SegueCore

struct IntroduceCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "introduce",
    abstract: "Introduce a paired device to the others, so that these need not be paired one by one.",
    discussion: """
      The device, and each of the others that are online, is told of the other one. They are paired when the users of both \
      have said so, with `segue accept`.

      Examples:
        segue introduce phone           to all that are online
        segue introduce phone kitchen   to one of them
      """)

  @Argument(
    help: "The device's name, its id, or the start of its id (at least 4 letters).", completion: Completion.devices)
  var device: String

  @Argument(help: "To which other one; without it, to all that are online.", completion: Completion.devices)
  var other: String?

  func run(_ daemon: Daemon) throws(CommandFailure) {
    let rows: [DeviceRow] = try daemon.ask(.listDevices)
    let devices = rows.map { Device($0) }
    let (introduced, to) = try CommandFailure.mapping(.failed) { () throws(SegueError) -> (Device, Device?) in
      let introduced = try Selection.device(device, among: devices)
      guard let other else { return (introduced, nil) }
      return (introduced, try Selection.device(other, among: devices))
    }
    try daemon.call(.introduce, [.string(introduced.id), .string(to?.id ?? "")])
    let others = to.map { [$0] } ?? devices.filter { $0.isOnline && $0.id != introduced.id }
    try Terminal.print(
      "Introduced \(introduced.label) to \(others.map { $0.label }.joined(separator: ", ")). Accept it on each of them: "
        + "segue accept")
  }
}

struct IntroductionsCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "introductions",
    abstract: "List the devices that were introduced here, and wait for your word.",
    discussion: """
      The words are the start of a device's id: compare them with what `segue identity` shows on it.

      Examples:
        segue introductions
        segue introductions --json | jq -r '.[].name'
      """)

  @Flag(help: "Print JSON: an array of objects.")
  var json = false

  func run(_ daemon: Daemon) throws(CommandFailure) {
    let rows: [IntroductionRow] = try daemon.ask(.listIntroductions)
    try Terminal.print(json ? JSONText.array(rows) : Self.text(rows))
  }

  /// The listing for a person.
  static func text(_ rows: [IntroductionRow]) -> String {
    guard !rows.isEmpty else { return "No device was introduced here." }
    var table = Table(["ID", "NAME", "WORDS", "INTRODUCED BY"])
    for row in rows { table.add([Device.shorten(row.id), row.name, row.words, row.introducerName]) }
    return table.lines(fitting: Terminal.width).joined(separator: "\n")
  }
}

struct AcceptCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Pair with a device that was introduced here.",
    discussion: """
      It is paired when it has accepted this device too. Without a name, the only one that waits is meant.

      Examples:
        segue accept
        segue accept phone
      """)

  @Argument(help: "The device's name, its id, or the start of its id (at least 4 letters).")
  var device: String?

  func run(_ daemon: Daemon) throws(CommandFailure) {
    let target = try Self.target(device, daemon)
    try daemon.call(.acceptIntroduction, [.string(target.id)])
    try Terminal.print("Accepted \(target.label). It is paired once it has accepted this device too.")
  }

  /// The one that the user means. Several may have introduced it.
  static func target(_ name: String?, _ daemon: Daemon) throws(CommandFailure) -> Device {
    let rows: [IntroductionRow] = try daemon.ask(.listIntroductions)
    var devices: [Device] = []
    for row in rows where !devices.contains(where: { $0.id == row.id }) {
      var device = DeviceRow()
      (device.id, device.name) = (row.id, row.name)
      devices.append(Device(device))
    }
    if name == nil, devices.count == 1 { return devices[0] }
    return try CommandFailure.mapping(.failed) { () throws(SegueError) -> Device in
      guard !devices.isEmpty else {
        throw SegueError(
          .notFound, "No device was introduced here.", advice: "On a device that is paired with both: segue introduce")
      }
      guard let name else {
        throw SegueError(
          .invalidArgument, "\(devices.count) devices wait for your word.",
          advice: "Name one of those that `segue introductions` lists.")
      }
      return try Selection.device(name, among: devices)
    }
  }
}

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

  func run(_ daemon: Daemon) throws(CommandFailure) {
    let target = try AcceptCommand.target(device, daemon)
    try daemon.call(.declineIntroduction, [.string(target.id)])
    try Terminal.print("Declined \(target.label).")
  }
}
