import SegueControl
import SegueCore

/// A paired device, as a listing shows it. Its texts are made fit to be shown on one line.
struct Device: Equatable {
  let id: String
  let name: String
  let addresses: [String]
  let isOnline: Bool
  let words: String
  let reached: String?
  let reachedUs: UInt64?
  let seen: UInt64?
  let hint: String?
  /// The fate of what is sent from it; a rule that this version does not know counts as the usual one.
  let receiving: ReceivingRule
  /// The name of the device that introduced it; nil if it was not introduced.
  let introducer: String?

  init(_ row: DeviceRow) {
    id = DisplayText.clean(row.id)
    name = DisplayText.clean(row.name)
    addresses = row.addresses.map { DisplayText.clean($0) }
    isOnline = row.isOnline
    words = DisplayText.clean(row.words)
    reached = row.reached.map { DisplayText.clean($0) }
    (reachedUs, seen) = (row.reachedUs, row.seen)
    receiving = ReceivingRule(rawValue: row.receiving) ?? .ask
    introducer = row.introducer.map {
      row.introducerName.map { DisplayText.clean($0) } ?? "\(Self.shorten(DisplayText.clean($0))), which was removed"
    }
    hint = row.hint.map { DisplayText.clean($0, maximum: Limits.sentenceLength) }
  }

  /// Where it is dialled.
  var dialled: String { addresses.isEmpty ? "no address" : addresses.joined(separator: " ") }

  /// Whether it is there, or since when it is not. `now`: seconds since 1970.
  func state(at now: UInt64) -> String {
    if isOnline { return "online" }
    return "offline, " + (seen.map { "last seen " + Age.ago($0, at: now) } ?? "never seen")
  }

  /// Whether it has ever dialled this device. `now`: seconds since 1970.
  func reachedUs(at now: UInt64) -> String { reachedUs.map { Age.ago($0, at: now) } ?? "never" }

  var shortID: String { Self.shorten(id) }

  /// The device's name in a sentence.
  var label: String { name.isEmpty ? shortID : "\(Self.quoted(name)) (\(shortID))" }

  /// A device's name inside a sentence: it may be of that device's own choice.
  static func quoted(_ name: String) -> String { DisplayText.quoted(name, maximum: Limits.titleAdvised) }

  /// The first eight digits of a device's id, with the dash between them where the id is written in groups.
  static func shorten(_ id: String) -> String {
    var digits = 0
    return String(
      id.prefix { character in
        if character != "-" { digits += 1 }
        return digits <= 8 && (digits < 8 || character != "-")
      })
  }
}
