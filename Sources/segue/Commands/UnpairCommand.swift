import ArgumentParser
import SegueControl
import SegueCore

struct UnpairCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpair",
    abstract: "Forget a device; its connections end at once.",
    discussion: """
      Examples:
        segue unpair kitchen
        segue unpair wq3x-n5ab
      """)

  @Argument(
    help: "The device's name, its id, or the start of its id (at least 4 letters).", completion: ShellCompletion.devices
  )
  var device: String

  func run(_ daemon: DaemonClient) throws(CommandFailure) { try Self.remove(device, daemon) }

  static func remove(_ device: String, _ daemon: DaemonClient) throws(CommandFailure) {
    let devices: [DeviceRow] = try daemon.ask(.listDevices)
    let target: Device
    do throws(SegueError) { target = try Selection.device(device, among: devices.map { Device($0) }) } catch {
      throw CommandFailure(.failed, error)
    }
    try daemon.call(.removeDevice, [.string(target.id)])
    try Terminal.print("Removed \(target.label).")
  }
}
