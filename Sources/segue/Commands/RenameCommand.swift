import ArgumentParser
import SegueControl
import SegueCore

struct RenameCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Give a paired device another name here.",
    discussion: """
      Other devices hear nothing of it. Without a name, the device is called again as it calls itself, and that is \
      followed when it changes.

      Examples:
        segue rename kitchen "tablet in the kitchen"
        segue rename wq3x-n5ab tablet
        segue rename tablet
      """)

  @Argument(
    help: "The device's name, its id, or the start of its id (at least 4 letters).", completion: ShellCompletion.devices
  )
  var device: String

  @Argument(help: "What to call it here.")
  var name: String?

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    let devices: [DeviceRow] = try daemon.ask(.listDevices)
    let target = try CommandFailure.mapping(.failed) { () throws(SegueError) in
      try Selection.device(device, among: devices.map { Device($0) })
    }
    try daemon.call(.renameDevice, [.string(target.id), .string(name ?? "")])
    let renamed: [DeviceRow] = try daemon.ask(.listDevices)
    let now = renamed.map { Device($0) }.first { $0.id == target.id } ?? target
    try Terminal.print("\(target.label) is called \(Device.quoted(now.name)) here.")
  }
}
