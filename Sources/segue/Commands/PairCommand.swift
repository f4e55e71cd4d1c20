import ArgumentParser
import SegueBus
import SegueControl
import SegueCore
import SegueState

struct PairCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair",
    abstract: "Pair this device with another one.",
    discussion: """
      Run it on both devices, and name the other one's address on one of them. One shows six digits, which you type on the \
      other. Or copy a code: `segue pair --code` prints it, and `segue pair CODE` uses it on the other device.

      Examples:
        segue pair                     wait for the other device
        segue pair 192.0.2.7:4711      go to the one that waits there
        segue pair --code              print a code to be copied to the other device
        segue pair SEGUE:ABCD…         use the code that the other device has printed
      """)

  @Argument(help: "Where the other device is, HOST:PORT, or the code that it has printed.")
  var targets: [String] = []

  @Option(help: ArgumentHelp("With --code: write the code as a picture (SVG) too.", valueName: "file"))
  var image: String?

  @Flag(help: "Print a code, which is good once and for five minutes, instead of using digits.")
  var code = false

  func run(_ daemon: Daemon) throws(CommandFailure) {
    var options = PairOptions()
    options.showsCode = code
    for target in targets {
      if target.lowercased().hasPrefix("segue:") { options.code = target } else { options.addresses.append(target) }
    }
    guard options.code == nil || options.addresses.isEmpty && !code else {
      throw CommandFailure(
        .failed, SegueError(.invalidArgument, "A code says all that is needed.", advice: "Give nothing else with it."))
    }
    guard image == nil || code else {
      throw CommandFailure(
        .failed, SegueError(.invalidArgument, "There is no picture without a code.", advice: "Add --code."))
    }
    try daemon.call(.pair, [options.busValue])
    let dialogue = PairDialogue(daemon, image: image)
    try dialogue.run()
  }
}

/// Shows how far a pairing is, and asks what is to be asked, until it has ended.
private final class PairDialogue {
  private let daemon: Daemon
  private var shown: PairingRow?
  private var line: String?

  /// How often the daemon is told that the pairing is still shown: often enough for its two minutes.
  private static let renewal: UInt64 = 30_000

  private let image: String?

  init(_ daemon: Daemon, image: String?) {
    self.daemon = daemon
    self.image = image
  }

  func run() throws(CommandFailure) {
    try daemon.readLines { [weak self] in self?.line = $0 }
    defer { withExtendedLifetime(self) {} }
    while true {
      let row: PairingRow = try daemon.ask(.getPairing)
      if row != shown {
        shown = row
        if try show(row) { return }
      }
      if let line {
        self.line = nil
        try answer(line, row)
      } else if daemon.inputIsOver, row.state == .typing || row.state == .asking {
        try daemon.call(.endPairing)
        throw CommandFailure(.failed, Self.nobodyToAsk)
      } else if try !daemon.waitForNews(milliseconds: Self.renewal) {
        try daemon.call(.renewPairing)
      }
    }
  }

  /// Returns whether it has ended.
  private func show(_ row: PairingRow) throws(CommandFailure) -> Bool {
    let name = row.name.map { DisplayText.clean($0) } ?? "the other device"
    switch row.state {
    case .open:
      if let code = row.code {
        try draw(code)
        try Terminal.print("Run this on the other device, within five minutes:\n\n  segue pair \(code)\n")
      } else {
        let here = row.addresses.map { "segue pair " + $0 }.joined(separator: "\n  or: ")
        try Terminal.print(
          "Waiting for the other device."
            + (here.isEmpty ? " Run `segue pair` on it." : " Run on it:\n\n      \(here)\n"))
      }
    case .showing:
      let digits = row.digits ?? ""
      try Terminal.print("Type these digits on \(name): \(digits.prefix(3)) \(digits.dropFirst(3))")
    case .typing: Terminal.note("Which digits does \(name) show?")
    case .asking: Terminal.note("Did \(name) take the digits? [y/N]")
    case .reaching: Terminal.note("Dialling the other device…")
    case .ending: break
    case .paired:
      try Terminal.print("Paired with \(name) (\(row.words ?? Device.shorten(row.deviceID ?? ""))).")
      return true
    case .closed:
      throw CommandFailure(.failed, SegueError(.userCancelled, "The pairing was cancelled."))
    case .failed: throw CommandFailure(.failed, Self.error(row))
    }
    return false
  }

  /// The code as a picture, where that can be seen.
  private func draw(_ code: String) throws(CommandFailure) {
    guard let picture = Picture(code) else { return }
    if let image {
      try CommandFailure.mapping(.failed) { () throws(SegueError) in
        // Whoever can read it can pair.
        try File.replace(image, Array(picture.svg.utf8))
      }
    }
    if let width = Terminal.width, width >= picture.width { try Terminal.print(picture.text) }
  }

  private func answer(_ line: String, _ row: PairingRow) throws(CommandFailure) {
    switch row.state {
    case .typing: try daemon.call(.typeDigits, [.string(line)])
    case .asking:
      try daemon.call(.confirmPairing, [.bool(["y", "yes"].contains(line.lowercased()))])
    default: break
    }
  }

  private static let nobodyToAsk = SegueError(
    .userCancelled, "The pairing was ended, since standard input has, and a question is open.",
    advice: "Run it in a terminal, or use a code: segue pair --code")

  private static func error(_ row: PairingRow) -> SegueError {
    let code = SegueError.Code.all.first { $0.name == row.error } ?? .handoffFailed
    var advice = row.advice ?? ""
    if let device = row.deviceID {
      advice =
        "This device remembers the other one, which may not remember this one: see whether it comes online, or remove it: "
        + "segue unpair \(Device.shorten(device))"
    }
    return SegueError(code, row.message ?? "The pairing failed.", advice: advice)
  }
}

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
    help: "The device's name, its id, or the start of its id (at least 4 letters).", completion: Completion.devices)
  var device: String

  func run(_ daemon: Daemon) throws(CommandFailure) { try Self.remove(device, daemon) }

  static func remove(_ device: String, _ daemon: Daemon) throws(CommandFailure) {
    let devices: [DeviceRow] = try daemon.ask(.listDevices)
    let target: Device
    do throws(SegueError) { target = try Selection.device(device, among: devices.map { Device($0) }) } catch {
      throw CommandFailure(.failed, error)
    }
    try daemon.call(.removeDevice, [.string(target.id)])
    try Terminal.print("Removed \(target.label).")
  }
}
