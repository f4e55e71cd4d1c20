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
    help: "The device's name, its id, or the start of its id (at least 4 letters).", completion: ShellCompletion.devices
  )
  var device: String

  @Argument(help: "To which other one; without it, to all that are online.", completion: ShellCompletion.devices)
  var other: String?

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
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
