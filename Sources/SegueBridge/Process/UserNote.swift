import SegueBus
import SegueCore

/// A sentence for the user of the desktop, in its notifications; in the log too, since there may be none.
enum UserNote {
  static func show(_ title: String, _ text: String, icon: String, on bus: SessionBus) {
    BridgeProcess.log("\(title): \(text)")
    bus.call(
      DesktopNotifications.name, DesktopNotifications.path, DesktopNotifications.interface, DesktopNotifications.notify,
      [
        .string("Segue"), .uint32(0), .string(icon), .string(title), .string(text.asMarkup),
        .array(elementSignature: "s", []), .dictionary(BusDictionary()), .int32(-1),
      ], starts: true)
  }
}
