import SegueBus
import SegueCore

/// A paired device, as a listing shows it. Its texts are made fit to be shown on one line.
struct Device: Equatable {
  let id: String
  let name: String
  let addresses: [String]
  let isOnline: Bool

  init(_ dictionary: BusDictionary) {
    id = DisplayText.clean(dictionary["id"]?.asString ?? "")
    name = DisplayText.clean(dictionary["name"]?.asString ?? "")
    addresses = (dictionary["addresses"]?.asStrings ?? []).map { DisplayText.clean($0) }
    isOnline = dictionary["online"]?.asBool ?? false
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
