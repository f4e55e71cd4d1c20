import ArgumentParser
import SegueBus
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

  func run(_ daemon: Daemon) throws(CommandFailure) {
    let last = try daemon.dictionary("GetLast")
    try Terminal.print(json ? JSONText.object(last) : Self.text(last, timing: timing))
  }

  /// The page for a person.
  static func text(_ last: BusDictionary, timing: Bool) -> String {
    func text(_ key: String) -> String { DisplayText.clean(last[key]?.asString ?? "", maximum: 1_024) }
    guard last["continuation"] != nil else { return "Nothing was continued here since the daemon started." }
    var lines = ["\(text("type")) from \(text("device-name")), in \(text("app-name"))"]
    lines.append(text("error").isEmpty ? "continued" : "failed: \(text("error"))")
    guard timing else { return lines.joined(separator: "\n") }
    var table = Table(["PHASE", "BEGAN", "TOOK"])
    for phase in last["phases"]?.asArray?.compactMap({ $0.asDictionary }) ?? [] {
      table.add([phase["phase"]?.asString ?? "", time(phase["start"]), time(phase["duration"])])
    }
    table.add(["all", "", time(last["total"])])
    lines += table.lines
    if let size = last["size"]?.asUInt64 { lines.append("userInfo: \(size) bytes") }
    return lines.joined(separator: "\n")
  }

  /// Microseconds as milliseconds with two digits.
  private static func time(_ value: BusValue?) -> String {
    let hundredths = (value?.asUInt64 ?? 0) / 10
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) ms"
  }
}
