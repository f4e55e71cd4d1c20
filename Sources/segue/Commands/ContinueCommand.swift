import ArgumentParser
import Glibc
import SegueBus
import SegueControl
import SegueCore

struct ContinueCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "continue",
    abstract: "Take an activity over: open its application here, where the other device left it.",
    discussion: """
      Without an id, the one activity on offer is taken; where there are several, say which. The command ends when \
      the application has taken the activity over, or when it is certain that it will not. Interrupting the command \
      does not interrupt the continuation.

      Examples:
        segue continue 3f2a       the activity whose id begins with 3f2a (at least 4 digits)
        segue continue --latest   the newest one of another device
        segue continue 3f2a --app org.example.Reader
        segue continue 3f2a --device kitchen

      Where several applications here can continue an activity, name one, or choose one for good with `segue default`.
      """)

  @Argument(
    help: "The activity's id, or the start of it, as `segue activities` shows it.", completion: ShellCompletion.offers)
  var id: String?

  @Flag(help: "Take the newest activity of another device that an application here can continue.")
  var latest = false

  @Option(help: ArgumentHelp("The application that shall continue it, by its id.", valueName: "app-id"))
  var app: String?

  @Option(
    help: "The device whose activity it is: its name, its id, or the start of its id (at least 4 letters).",
    completion: ShellCompletion.devices)
  var device: String?

  func validate() throws {
    guard !latest || id == nil else { throw ValidationError("Give an id or --latest, not both.") }
  }

  func run(_ daemon: DaemonClient) throws(CommandFailure) {
    try run(daemon, timeLimit: ContinuationProgress.timeLimit)
  }

  func run(_ daemon: DaemonClient, timeLimit: UInt64) throws(CommandFailure) {
    let from = try device.map { name throws(CommandFailure) in try deviceID(name, daemon) }
    let target = try offer(daemon, of: from)
    if app == nil, let row = target.row { ShellSessions.continueHere(row) }
    var progress = ContinuationProgress()
    let isShown = Terminal.isInteractive
    if isShown, let row = target.row, !ShownOffer(row).file.isEmpty { Terminal.note(ShownOffer(row).file) }
    daemon.onSignal = { signal in
      guard isShown, let line = progress.line(for: signal) else { return }
      Terminal.note(line)
    }
    defer { daemon.onSignal = nil }
    try daemon.call(
      .continue, [.string(target.id), options(device: target.device).busValue], timeout: timeLimit)
    try Terminal.print("Continued.")
  }

  private func options(device: String?) -> ContinueOptions {
    // The token that the desktop's launcher or shortcut passes on, so that the application's window may come to the
    // front.
    let token = getenv("XDG_ACTIVATION_TOKEN").map { String(cString: $0) } ?? ""
    return ContinueOptions(activationToken: token.isEmpty ? nil : token, app: app, device: device)
  }

  private func deviceID(_ name: String, _ daemon: DaemonClient) throws(CommandFailure) -> String {
    let rows: [DeviceRow] = try daemon.ask(.listDevices)
    do throws(SegueError) { return try Selection.device(name, among: rows.map { Device($0) }).id } catch {
      throw CommandFailure(.failed, error)
    }
  }

  /// The activity that the user means. The device is named if the user has named it, or has given no id: for an id
  /// alone, the daemon knows best whether it means one device's activity.
  private func offer(
    _ daemon: DaemonClient, of device: String?
  ) throws(CommandFailure) -> (id: String, device: String?, row: OfferRow?) {
    // A whole id goes to the daemon as it is: it knows offers that are listed no more and can still be taken.
    if let id, let whole = Identifier(text: id) { return (whole.hex, device, nil) }
    let rows: [OfferRow] = try daemon.ask(.listOffers)
    var offers = rows.filter { device == nil || $0.deviceID == device }.map { ShownOffer($0) }
    if id != nil, device == nil {
      // A copy that is stored for search can be continued too, but only if the user names it.
      let copies: [StoredRow] = try daemon.ask(.listStored)
      offers += copies.filter { $0.kind == .search }.map { ShownOffer($0) }
    }
    do throws(SegueError) {
      if let id {
        do throws(SegueError) {
          let found = try Selection.offer(id, among: offers)
          return (found.id, device, rows.first { $0.id == found.id && $0.deviceID == found.deviceID })
        } catch {
          guard error.code == .notFound, let hidden = hidden(id, of: device, daemon) else { throw error }
          return (hidden, device, nil)
        }
      }
      let offer = try latest ? Selection.latest(of: offers) : Selection.only(of: offers)
      let row = rows.first { $0.id == offer.id && $0.deviceID == offer.deviceID }
      return (offer.id, offer.deviceID.isEmpty ? nil : offer.deviceID, row)
    } catch {
      throw CommandFailure(.failed, error)
    }
  }
}

extension ContinueCommand {
  /// The one offer whose id begins so that is left out of the list: it was continued here, and may be wanted once more.
  private func hidden(_ id: String, of device: String?, _ daemon: DaemonClient) -> String? {
    let rows: [ExplanationRow]? = try? daemon.ask(.explain, [.string(IDStart.digits(of: id))])
    let others = (rows ?? []).filter { $0.from != nil && (device == nil || $0.deviceID == device) }
    let ids = Set(others.compactMap { $0.id })
    return ids.count == 1 ? ids.first : nil
  }
}

/// The progress of a continuation, line by line. The daemon names the continuation only in the end, so the first one
/// that begins after the call is taken for it.
struct ContinuationProgress {
  /// Longer than every bound of the daemon's own: it guards against a daemon that hangs.
  static let timeLimit = Limits.continueTime

  private var continuation: String?

  /// The line to show for a signal; nil for signals of others, and for the end, which the answer tells.
  mutating func line(for signal: ControlSignal) -> String? {
    guard case .continuation(let id, let state) = signal else { return nil }
    if continuation == nil, state == .launching { continuation = id }
    guard id == continuation else { return nil }
    switch state {
    case .launching: return "Starting the application…"
    case .begun: return "The application is up, and is waiting for the other device…"
    case .waiting: return "The other device cannot be reached; waiting for it…"
    case .notResponding: return "The application is not responding yet…"
    case .continued, .failed: return nil
    }
  }
}
