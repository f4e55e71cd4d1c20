import ArgumentParser
import SegueControl

struct IntroductionsCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "introductions",
    abstract: "List the devices that were introduced here and await your decision.",
    discussion: """
      The words are the start of a device's id: compare them with what `segue identity` shows on it.

      Examples:
        segue introductions
        segue introductions --json | jq -r '.[].name'
      """)

  @Flag(help: "Print JSON: an array of objects.")
  var json = false

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    let rows: [IntroductionRow] = try daemon.ask(.listIntroductions)
    try Terminal.print(json ? JSONText.array(rows) : Self.text(rows))
  }

  /// The listing for a person.
  static func text(_ rows: [IntroductionRow]) -> String {
    guard !rows.isEmpty else { return "No device was introduced here." }
    var table = Table(["ID", "NAME", "WORDS", "INTRODUCED BY"])
    for row in rows { table.add([Device.shorten(row.id), row.name, row.words, row.introducerName]) }
    return table.lines(fitting: Terminal.width).joined(separator: "\n")
  }
}
