import SegueControl
import SegueCore

/// A paired device, as a listing shows it. Its texts are made fit to be shown on one line.
struct Device: Equatable {
  let id: String
  let name: String
  let addresses: [String]
  let isOnline: Bool

  init(_ row: DeviceRow) {
    id = DisplayText.clean(row.id)
    name = DisplayText.clean(row.name)
    addresses = row.addresses.map { DisplayText.clean($0) }
    isOnline = row.isOnline
  }

  var shortID: String { Self.shorten(id) }

  /// What to call it in a sentence.
  var label: String { name.isEmpty ? shortID : "\(name) (\(shortID))" }

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
