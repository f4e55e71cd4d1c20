import SegueControl
import SegueCore

/// One line of the output of `segue watch`.
enum Change: Equatable {
  /// How a row of the listing has changed.
  enum Kind: String {
    case new, changed, gone
  }

  case offer(Kind, OfferRow)
  case activity(Kind, ActivityRow)
  case device(Kind, DeviceRow)
  case continuation(id: String, state: ContinuationState)
  /// The daemon: new or gone.
  case daemon(Kind)

  /// For a person.
  var text: String {
    switch self {
    case .offer(let kind, let row):
      let offer = ShownOffer(row)
      return Self.text("offer", kind, offer, [offer.application, offer.device])
    case .activity(let kind, let row):
      let activity = ShownOffer(row)
      return Self.text("activity", kind, activity, [activity.application])
    case .device(let kind, let row):
      let device = Device(row)
      let state = kind == .gone ? "gone" : device.isOnline ? "online" : "offline"
      return "device \(device.shortID) \(state): \(device.name)"
    case .continuation(let id, let state):
      return DisplayText.clean("continuation \(id.prefix(8)) \(state.rawValue)")
    case .daemon(let kind):
      return kind == .gone ? "daemon gone: waiting for the next one" : "daemon back"
    }
  }

  private static func text(_ subject: String, _ kind: Kind, _ item: ShownOffer, _ origin: [String]) -> String {
    let origin = origin.filter { !$0.isEmpty }.joined(separator: ", ")
    return "\(subject) \(item.shortID) \(kind.rawValue): \(item.title) (\(origin))"
  }

  /// For a program.
  var json: String {
    switch self {
    case .offer(let kind, let row): Self.json("offer", kind, row)
    case .activity(let kind, let row): Self.json("activity", kind, row)
    case .device(let kind, let row): Self.json("device", kind, row)
    case .continuation(let id, let state):
      JSONText.object([
        ("event", JSONText.string("continuation")), ("continuation", JSONText.string(id)),
        ("state", JSONText.string(state.rawValue)),
      ])
    case .daemon(let kind): Self.json("daemon", kind)
    }
  }

  private static func json(_ event: String, _ kind: Kind, _ row: (some ControlValue)? = DeviceRow?.none) -> String {
    let members = [("event", JSONText.string(event)), ("change", JSONText.string(kind.rawValue))]
    return JSONText.object(members + (row.map { [(event, JSONText.object($0.dictionary))] } ?? []))
  }
}

/// A row of a listing whose changes are reported.
protocol ListedRow: Equatable {
  /// Identifies the row in its listing.
  var key: [String] { get }
  /// The row without the fields that change as time passes.
  var timeless: Self { get }
}

extension OfferRow: ListedRow {
  /// A device may repeat ids of another one's offers.
  var key: [String] { [deviceID, id] }

  var timeless: OfferRow {
    var row = self
    row.age = 0
    row.storedAge = storedAge.map { _ in 0 }
    return row
  }
}

extension ActivityRow: ListedRow {
  var key: [String] { [id] }
  var timeless: ActivityRow { self }
}

extension DeviceRow: ListedRow {
  var key: [String] { [id] }
  var timeless: DeviceRow { self }
}

/// The last listing, to find what has changed since.
struct Known<Row: ListedRow> {
  private var rows: [Row] = []

  /// Takes a new listing; gives what has gone, then what is new or has changed, in the order of the listing.
  mutating func update(_ listing: [Row]) -> [(Change.Kind, Row)] {
    let old = rows
    rows = listing
    var changes: [(Change.Kind, Row)] = []
    for row in old where !listing.contains(where: { $0.key == row.key }) { changes.append((.gone, row)) }
    for row in listing {
      guard let before = old.first(where: { $0.key == row.key }) else {
        changes.append((.new, row))
        continue
      }
      if before.timeless != row.timeless { changes.append((.changed, row)) }
    }
    return changes
  }
}
