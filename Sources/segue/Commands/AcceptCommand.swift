import ArgumentParser
import SegueControl
import SegueCore

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

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    let target = try Self.target(device, daemon)
    try daemon.call(.acceptIntroduction, [.string(target.id)])
    try Terminal.print("Accepted \(target.label). It is paired once it has accepted this device too.")
  }

  /// The one that the user means. Several may have introduced it.
  static func target(_ name: String?, _ daemon: DaemonClient) throws(CommandFailure) -> Device {
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
