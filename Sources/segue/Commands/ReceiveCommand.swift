import ArgumentParser
import SegueControl
import SegueCore

struct ReceiveCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "receive",
    abstract: "Say what happens to what a device sends here.",
    discussion: """
      ask: a notification shows it, and a click opens it; so it is unless you say otherwise. open: it opens at once, \
      unless the screen is locked or something else is being continued. refuse: nothing is shown, and the other device's \
      user is told. Without a rule, the present one is printed.

      Examples:
        segue receive desk
        segue receive desk open
        segue receive desk ask
      """)

  @Argument(
    help: "The device's name, its id, or the start of its id (at least 4 letters).", completion: ShellCompletion.devices
  )
  var device: String

  @Argument(help: "The rule: ask, open or refuse.", completion: .list(ReceivingRule.allCases.map { $0.rawValue }))
  var rule: String?

  func validate() throws {
    guard rule.map({ ReceivingRule(rawValue: $0) != nil }) ?? true else {
      throw ValidationError("The rules are ask, open and refuse.")
    }
  }

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    let rows: [DeviceRow] = try daemon.ask(.listDevices)
    let target = try CommandFailure.mapping(.failed) { () throws(SegueError) in
      try Selection.device(device, among: rows.map { Device($0) })
    }
    if let rule { try daemon.call(.setReceiving, [.string(target.id), .string(rule)]) }
    let present = rule ?? rows.first { $0.id == target.id }?.receiving ?? ""
    try Terminal.print(Self.sentence(present, from: target.label))
  }

  static func sentence(_ rule: String, from device: String) -> String {
    switch ReceivingRule(rawValue: rule) {
    case .ask: "What \(device) sends is shown, and opens when you click it."
    case .open: "What \(device) sends opens at once."
    case .refuse: "What \(device) sends is refused."
    case nil: "What \(device) sends is treated in a way that this command does not know."
    }
  }
}
