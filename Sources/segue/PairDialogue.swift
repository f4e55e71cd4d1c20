import SegueBus
import SegueControl
import SegueCore
import SegueState

/// Shows a pairing's progress, and asks its questions, until it has ended.
struct PairDialogue {
  private let daemon: DaemonClient
  private let image: String?
  private var shown: PairingRow?
  /// Whether the other device has answered.
  private(set) var hasMet = false

  /// How often the command reports to the daemon that the pairing is still shown: often enough for its two minutes.
  private static let renewal: UInt64 = 30_000

  /// `image`: where a code is written as a picture too.
  init(_ daemon: DaemonClient, image: String?) {
    self.daemon = daemon
    self.image = image
  }

  mutating func run() throws(CommandFailure) {
    while true {
      let row: PairingRow = try daemon.ask(.getPairing)
      if row != shown {
        shown = row
        if try show(row) { return }
      }
      if let line = daemon.input.take() {
        try answer(line, row)
        tellWaiting(row, after: line)
      } else if daemon.input.isOver, daemon.input.isTerminal || row.state == .typing || row.state == .asking {
        // A terminal that is gone, or was closed by Ctrl-D, has no user before it any more.
        try daemon.call(.endPairing)
        throw CommandFailure(.failed, Self.nobodyToAsk)
      } else if try !daemon.waitForNews(milliseconds: Self.renewal) {
        try daemon.call(.renewPairing)
      }
    }
  }

  /// Returns whether it has ended.
  private mutating func show(_ row: PairingRow) throws(CommandFailure) -> Bool {
    if row.name != nil { hasMet = true }
    let name = row.name.map { Device.quoted($0) } ?? "the other device"
    switch row.state {
    case .open:
      if let code = row.code {
        try draw(code)
        try Terminal.print("Run this on the other device, within five minutes:\n\n  segue pair \(code)\n")
      } else {
        let here = row.addresses.map { "segue pair " + $0 }.joined(separator: "\n  or: ")
        let there = row.isFound ? " Run `segue pair` on it too; where it is not found, with an address:" : " Run on it:"
        try Terminal.print(
          "Waiting for the other device."
            + (here.isEmpty ? " Run `segue pair` on it." : "\(there)\n\n      \(here)\n"))
      }
    case .showing:
      let digits = row.digits ?? ""
      try Terminal.print("Type these digits on \(name): \(digits.prefix(3)) \(digits.dropFirst(3))")
    case .typing: Terminal.note("Which digits does \(name) show?")
    case .asking: Terminal.note("Did \(name) accept the digits? [y/N]")
    case .reaching: Terminal.note("Dialling the other device…")
    case .ending: break
    case .paired:
      try Terminal.print("Paired with \(name) (\(row.words ?? Device.shorten(row.deviceID ?? ""))).")
      return true
    case .closed:
      throw CommandFailure(.failed, Self.closed)
    case .failed: throw CommandFailure(.failed, Self.error(row))
    }
    return false
  }

  /// The code as a picture, where that can be seen.
  private func draw(_ code: String) throws(CommandFailure) {
    guard let picture = Picture(code) else { return }
    if let image {
      try CommandFailure.mapping(.failed) { () throws(SegueError) in
        // `File.replace` keeps the image private: a user who can read it can pair.
        try File.replace(image, Array(picture.svg.utf8))
      }
    }
    if try !Terminal.draw(picture), image == nil, Terminal.width != nil {
      Terminal.note("The screen is too small for the code as a picture. Make it larger, or add: --image code.svg")
    }
  }

  private func answer(_ line: String, _ row: PairingRow) throws(CommandFailure) {
    switch row.state {
    case .typing:
      do throws(CommandFailure) { try daemon.call(.typeDigits, [.string(line)]) } catch {
        // It was no try, and there is another one.
        guard error.kind == .failed, error.error.code == .invalidArgument else { throw error }
        Terminal.note("\(error.error.message) \(error.error.advice)")
      }
    case .asking:
      try daemon.call(.confirmPairing, [.bool(["y", "yes"].contains(line.lowercased()))])
    default: break
    }
  }

  private static let nobodyToAsk = SegueError(
    .userCancelled, "The pairing was ended, since standard input has, and nobody can answer.",
    advice: "Run it in a terminal, or use a code: segue pair --code")

  private static let closed = SegueError(
    .userCancelled, "The pairing was declined or cancelled, or another one was begun on this device.",
    advice: "If that was not meant, pair again, on both devices.")

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
