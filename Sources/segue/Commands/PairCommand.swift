import ArgumentParser
import SegueControl
import SegueCore

struct PairCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair",
    abstract: "Pair this device with another one.",
    discussion: """
      Run it on both devices; where they do not find each other, name the other one's address on one of them. One shows \
      six digits, which you type on the other. Or copy a code: `segue pair --code` prints it, and `segue pair CODE` uses it on the other device.

      A host without a port means Segue's usual one. Where nobody answers yet, it is tried again for two minutes.

      Examples:
        segue pair                     find the other device, or wait for it
        segue pair desk.local          go to the one that waits there
        segue pair 192.0.2.7:4711      go to the one that waits there
        segue pair --code              print a code to be copied to the other device
        segue pair SEGUE:ABCD…         use the code that the other device has printed
      """)

  @Argument(help: "Where the other device is, HOST or HOST:PORT, or the code that it has printed.")
  var targets: [String] = []

  @Option(help: ArgumentHelp("With --code: write the code as a picture (SVG) too.", valueName: "file"))
  var image: String?

  @Flag(help: "Print a code, which is good once and for five minutes, instead of using digits.")
  var code = false

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    var options = PairOptions()
    options.showsCode = code
    for target in targets {
      if target.lowercased().begins(with: "segue:") {
        options.code = target
      } else {
        options.addresses.append(PairTarget.address(target))
      }
    }
    guard options.code == nil || options.addresses.isEmpty && !code else {
      throw CommandFailure(
        .failed, SegueError(.invalidArgument, "A code says all that is needed.", advice: "Give nothing else with it."))
    }
    guard image == nil || code else {
      throw CommandFailure(
        .failed, SegueError(.invalidArgument, "There is no picture without a code.", advice: "Add --code."))
    }
    var retry = PairRetry()
    while true {
      try daemon.call(.pair, [options.busValue])
      var dialogue = PairDialogue(daemon, image: image)
      do throws(CommandFailure) { return try dialogue.run() } catch {
        guard !options.addresses.isEmpty else { throw error }
        try retry.wait(after: error, hasMet: dialogue.hasMet, daemon)
      }
    }
  }
}
