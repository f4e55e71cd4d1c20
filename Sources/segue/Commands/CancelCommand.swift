import ArgumentParser
import SegueControl
import SegueCore

struct CancelCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Cancel the continuation that is on its way.",
    discussion: """
      Nothing happens on the other device then, and its activity stays on offer. Where the application has the state \
      already, it is too late.

      Example:
        segue cancel
      """)

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    let rows: [ContinuationRow] = try daemon.ask(.listContinuations)
    guard !rows.isEmpty else { return try Terminal.print("No continuation is on its way.") }
    for row in rows { try daemon.call(.cancelContinuation, [.string(row.continuation)]) }
    try Terminal.print("Cancelled.")
  }
}
