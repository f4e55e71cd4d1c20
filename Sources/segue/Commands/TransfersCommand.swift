import ArgumentParser
import SegueControl
import SegueCore

struct TransfersCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfers",
    abstract: "List files and streams that are on their way, or stop one.",
    discussion: """
      Applications bring files and open streams after they have continued an activity. One that is stopped ends on both \
      devices, and the part of a file that has arrived is removed.

      Examples:
        segue transfers
        segue transfers --stop file-3
      """)

  @Option(help: ArgumentHelp("Stop the one with this id.", valueName: "id"))
  var stop: String?

  @Flag(help: "Print JSON: an array of objects.")
  var json = false

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    if let stop {
      try daemon.call(.stopTransfer, [.string(stop)])
      return try Terminal.print("\(DisplayText.clean(stop)) is stopped.")
    }
    let rows: [TransferRow] = try daemon.ask(.listTransfers)
    try Terminal.print(json ? JSONText.array(rows) : Self.text(rows))
  }

  /// The listing for a person.
  static func text(_ rows: [TransferRow]) -> String {
    guard !rows.isEmpty else { return "No file and no stream is on its way." }
    var table = Table(["ID", "NAME", "DEVICE", "APPLICATION", "STATE"])
    for row in rows {
      let way = row.isIncoming ? "from" : "to"
      let place = row.deviceName.isEmpty ? "this one" : row.kind == "file" ? "\(way) \(row.deviceName)" : row.deviceName
      table.add([row.id, row.name ?? "", place, row.appName, state(of: row)])
    }
    return table.lines(fitting: Terminal.width).joined(separator: "\n")
  }

  private static func state(of row: TransferRow) -> String {
    guard row.state == "open", let done = row.done, let size = row.size, size > 0 else { return row.state }
    let share = min(done, size).multipliedReportingOverflow(by: 100)
    return "\(share.overflow ? 100 : share.partialValue / size) % of \(Self.amount(size))"
  }

  /// Bytes, in the largest unit that leaves a whole part.
  static func amount(_ bytes: UInt64) -> String {
    var (value, units) = (bytes, ["kB", "MB", "GB", "TB", "PB", "EB"][...])
    guard value >= 1_000 else { return "\(value) B" }
    while value >= 1_000_000, units.count > 1 { (value, units) = (value / 1_000, units.dropFirst()) }
    let tenths = value / 100
    let unit = units.first ?? ""
    return tenths >= 1_000 ? "\(tenths / 10) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
  }
}
