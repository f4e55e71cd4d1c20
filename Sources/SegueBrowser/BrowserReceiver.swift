import SegueControl

/// A device to which a page can be sent, as the extension shows it.
struct BrowserReceiver: Equatable {
  var device: String
  var name: String

  var json: JSON { .object(["device": .string(device), "name": .string(name)]) }

  /// The devices that take activities now.
  static func list(_ rows: [DeviceRow]) -> [BrowserReceiver] {
    rows.filter { $0.isOnline && $0.takes.contains("activity") }.map { BrowserReceiver(device: $0.id, name: $0.name) }
  }
}
