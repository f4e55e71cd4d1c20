import SegueBus
import SegueCore

/// What `segue watch` prints on one line.
enum Change: Equatable {
  /// The kinds of things that come and go, by their names in the output.
  enum Subject: String {
    case offer, activity, device
  }

  /// What became of a thing.
  enum Kind: String {
    case new, changed, gone
  }

  case item(Subject, Kind, BusDictionary)
  case continuation(id: String, state: String)
  /// The daemon: new or gone.
  case daemon(Kind)

  /// For a person.
  var text: String {
    switch self {
    case .daemon(let kind):
      return kind == .gone ? "daemon gone: waiting for the next one" : "daemon back"
    case .item(.device, let kind, let dictionary):
      let device = Device(dictionary)
      let state = kind == .gone ? "gone" : device.isOnline ? "online" : "offline"
      return "device \(device.shortID) \(state): \(device.name)"
    case .item(let subject, let kind, let dictionary):
      let item = Offering(dictionary)
      let origin = (subject == .offer ? [item.application, item.device] : [item.application]).filter { !$0.isEmpty }
      return "\(subject.rawValue) \(item.shortID) \(kind.rawValue): \(item.title) (\(origin.joined(separator: ", ")))"
    case .continuation(let id, let state):
      return DisplayText.clean("continuation \(id.prefix(8)) \(state)")
    }
  }

  /// For a program.
  var json: String {
    switch self {
    case .daemon(let kind):
      JSONText.object([("event", JSONText.string("daemon")), ("change", JSONText.string(kind.rawValue))])
    case .item(let subject, let kind, let dictionary):
      JSONText.object([
        ("event", JSONText.string(subject.rawValue)), ("change", JSONText.string(kind.rawValue)),
        (subject.rawValue, JSONText.object(dictionary)),
      ])
    case .continuation(let id, let state):
      JSONText.object([
        ("event", JSONText.string("continuation")), ("continuation", JSONText.string(id)),
        ("state", JSONText.string(state)),
      ])
    }
  }
}

/// What was listed last, to tell what has changed since.
struct Known {
  private var items: [Change.Subject: [BusDictionary]] = [:]

  /// Takes a new listing; gives what has gone, then what is new or has changed, in the order of the listing.
  mutating func update(_ subject: Change.Subject, _ listing: [BusDictionary]) -> [Change] {
    let old = items[subject] ?? []
    items[subject] = listing
    var changes: [Change] = []
    for item in old where !listing.contains(where: { $0["id"] == item["id"] }) {
      changes.append(.item(subject, .gone, item))
    }
    for item in listing {
      guard let before = old.first(where: { $0["id"] == item["id"] }) else {
        changes.append(.item(subject, .new, item))
        continue
      }
      if Self.timeless(before) != Self.timeless(item) { changes.append(.item(subject, .changed, item)) }
    }
    return changes
  }

  /// Growing older is no change.
  private static func timeless(_ item: BusDictionary) -> BusDictionary {
    var item = item
    item["age"] = nil
    return item
  }
}
