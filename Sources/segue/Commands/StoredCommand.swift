import ArgumentParser
import SegueControl
import SegueCore

struct StoredCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "stored",
    abstract: "List what is kept of activities on this device.",
    discussion: """
      Copies for search are of this device's applications. Snapshots are what an application last saved: of this \
      device's, so that other devices can still continue it when the application has ended, and of other devices', so \
      that it can be continued here when they are not there. States are what an application of this device gets back \
      itself when it runs again. `segue continue` takes the ids of copies for search too.

      Examples:
        segue stored
        segue stored --json | jq '.[] | select(.kind == "search")'

      With --json the keys are those of the D-Bus interface org.segue.Control1, and ids are whole.
      """)

  @Flag(help: "Print JSON: an array.")
  var json = false

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    let copies: [StoredRow] = try daemon.ask(.listStored)
    guard !json else { return try Terminal.print(JSONText.array(copies)) }
    guard !copies.isEmpty else { return try Terminal.print("Nothing is stored here.") }
    var table = Table(["ID", "TITLE", "APPLICATION", "DEVICE", "KEPT FOR", "AGE", "TIME LEFT"])
    for row in copies {
      let copy = ShownOffer(row)
      table.add([
        copy.shortID, copy.title, copy.application, copy.device,
        Self.purpose(of: row.kind), Age.text(copy.age),
        Age.text(row.timeLeft),
      ])
    }
    try Terminal.print(table.lines(fitting: Terminal.width).joined(separator: "\n"))
  }

  private static func purpose(of kind: StoredCopy.Kind) -> String {
    switch kind {
    case .search: "search"
    case .snapshot: "continuing"
    case .restoration: "its return"
    }
  }
}
