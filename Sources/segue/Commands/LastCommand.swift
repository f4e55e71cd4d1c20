import ArgumentParser
import SegueControl
import SegueCore

struct LastCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "last",
    abstract: "Show how the last continuation on this device went.",
    discussion: """
      With --timing it shows where its time went. Launching the application and fetching the state run side by side, \
      and the origin's application saves while the state is fetched, so the parts add up to more than the whole.
      """)

  @Flag(help: "Show the time of each phase.")
  var timing = false

  @Flag(help: "Print JSON: one object, empty if there was no continuation.")
  var json = false

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    let last = try daemon.lastContinuation()
    try Terminal.print(json ? JSONText.object(last?.dictionary ?? [:]) : Self.text(last, timing: timing))
  }

  /// The page for a person.
  static func text(_ last: LastContinuation?, timing: Bool) -> String {
    guard let last else { return "Nothing has been continued here since the daemon started." }
    func clean(_ text: String) -> String { DisplayText.clean(text, maximum: Limits.sentenceLength) }
    var lines = ["\(clean(last.type)) from \(Device.quoted(last.deviceName)), in \(clean(last.appName))"]
    lines.append(last.error.map { "failed: \(clean($0))" } ?? "continued")
    guard timing else { return lines.joined(separator: "\n") }
    var table = Table(["PHASE", "BEGAN", "TOOK"])
    for phase in last.phases { table.add([phase.phase.rawValue, time(phase.start), time(phase.duration)]) }
    table.add(["all", "", time(last.total)])
    lines += table.lines
    if let size = last.size { lines.append("userInfo: \(size) bytes") }
    return lines.joined(separator: "\n")
  }

  /// Microseconds as milliseconds with two digits.
  private static func time(_ microseconds: UInt64) -> String {
    let hundredths = microseconds / 10
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) ms"
  }
}
