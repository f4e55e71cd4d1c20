import SegueBus
import SegueCore

/// An offer, or an activity of this device, as a listing shows it. What is absent is empty. Its texts, which another
/// device chose, are made fit to be shown on one line.
struct Offering: Equatable {
  let id: String
  /// The activity's title; without one, what the application is called.
  let title: String
  /// What the application is called, as well as is known here.
  let application: String
  /// Where it would go on here.
  let place: String
  /// The device that it comes from.
  let device: String
  /// Whether it is of this device itself.
  let isHere: Bool
  /// Whether an application here can continue it.
  let isContinuable: Bool
  /// Whether other devices hear nothing of it.
  let isWithheld: Bool
  /// Milliseconds since it was offered.
  let age: UInt64
  /// Its application has ended, or its device is not there: it is as it was last saved.
  let isStored: Bool

  init(_ dictionary: BusDictionary) {
    func text(_ key: String) -> String { DisplayText.clean(dictionary[key]?.asString ?? "") }
    let name = text("app-name")
    let local = text("local-app")
    id = text("id")
    application = name.isEmpty ? text("app-id") : name
    title = text("title").isEmpty ? application : text("title")
    isHere = dictionary["here"]?.asBool ?? false
    isStored = dictionary["stored"]?.asBool ?? false
    if isHere {
      device = "this device"
    } else {
      let name = text("device-name").isEmpty ? Device.shorten(text("device-id")) : text("device-name")
      // Whoever takes it shall not look there for what was changed since.
      let since = dictionary["stored-age"]?.asUInt64.map { "as it was \(Age.text($0)) ago" } ?? "as last saved"
      device = isStored ? "\(name) (\(since))" : name
    }
    isWithheld = dictionary["withheld"]?.asBool ?? false
    age = dictionary["age"]?.asUInt64 ?? 0
    isContinuable = !local.isEmpty
    place = local.isEmpty ? application + " (not installed)" : application
  }

  /// Eight digits, of which the first four are enough where no other begins with them.
  var shortID: String { String(id.prefix(8)) }
}
