import SegueBus
import SegueCore

/// A sentence for the user of the desktop, in its notifications; in the log too, since there may be none.
enum UserNote {
  private static let name = BusName(constant: "org.freedesktop.Notifications")
  private static let path = ObjectPath(constant: "/org/freedesktop/Notifications")
  private static let interface = InterfaceName(constant: "org.freedesktop.Notifications")

  static func show(_ title: String, _ text: String, icon: String, on bus: SessionBus) {
    BridgeProcess.log("\(title): \(text)")
    bus.call(
      name, path, interface, MemberName(constant: "Notify"),
      [
        .string("Segue"), .uint32(0), .string(icon), .string(title), .string(text.asMarkup),
        .array(elementSignature: "s", []), .dictionary(BusDictionary()), .int32(-1),
      ], starts: true)
  }
}
