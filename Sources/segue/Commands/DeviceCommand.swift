import ArgumentParser
import SegueBus
import SegueControl
import SegueCore

struct DeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device",
    abstract: "Pair with a device, or forget one.",
    discussion: """
      Devices trust each other by their ids, so an id must come from the device itself: read it there with \
      `segue identity`. Pairing is done on both sides.
      """,
    subcommands: [Add.self, Remove.self])

  struct Add: DaemonCommand {
    static let configuration = CommandConfiguration(
      abstract: "Pair with a device whose id you have read on that device.",
      discussion: """
        `segue identity` on the other device prints the line to run here; run its line for this device there. \
        One of the two must know an address of the other.

        Example:
          segue device add wq3x-…-7k2a 192.0.2.7:4711 --name kitchen
        """)

    @Argument(help: "The other device's whole id.")
    var id: String

    @Argument(help: "Where it can be reached: HOST:PORT.")
    var addresses: [String] = []

    @Option(help: "What to call it here.")
    var name: String = ""

    func run(_ daemon: DaemonClient) throws(CommandFailure) {
      try daemon.call(.addDevice, [.string(id), .string(name), .strings(addresses)])
      let shown = name.isEmpty ? Device.shorten(DisplayText.clean(id)) : DisplayText.clean(name)
      try Terminal.print("Added \(shown). It is paired once it has added this device too: see `segue identity`.")
    }
  }

  struct Remove: DaemonCommand {
    static let configuration = CommandConfiguration(
      abstract: "Forget a device; its connections end at once.",
      discussion: """
        Examples:
          segue device remove kitchen
          segue device remove wq3x-n5ab
        """)

    @Argument(
      help: "The device's name, its id, or the start of its id (at least 4 letters).",
      completion: ShellCompletion.devices)
    var device: String

    func run(_ daemon: DaemonClient) throws(CommandFailure) { try UnpairCommand.remove(device, daemon) }
  }
}
