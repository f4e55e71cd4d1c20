import SegueControl
import SegueCore

/// An offer of another device, as the extension shows it.
struct BrowserOffer: Equatable {
  var device: String
  var activity: String
  var deviceName: String
  var title: String
  var application: String
  var host: String?
  var isForBrowser: Bool

  var json: JSON {
    var members: TextMap<JSON> = [
      "device": .string(device), "activity": .string(activity), "deviceName": .string(deviceName),
      "title": .string(title), "application": .string(application), "inBrowser": .bool(isForBrowser),
    ]
    members["host"] = host.map { .string($0) }
    return .object(members)
  }

  /// The offers of other devices, the newest first.
  static func list(_ rows: [OfferRow]) -> [BrowserOffer] {
    let others = rows.filter { !$0.isHere }.sorted { $0.age < $1.age }
    return others.prefix(Limits.browserOffers).map { row in
      BrowserOffer(
        device: row.deviceID, activity: row.id, deviceName: row.deviceName, title: row.title ?? "",
        application: row.appName, host: row.webHost, isForBrowser: row.isForBrowser)
    }
  }
}
