import SegueCore

/// Where the desktop's notification server is (org.freedesktop.Notifications 1.2).
public enum DesktopNotifications {
  public static let name = BusName(constant: "org.freedesktop.Notifications")
  public static let path = ObjectPath(constant: "/org/freedesktop/Notifications")
  public static let interface = InterfaceName(constant: "org.freedesktop.Notifications")
  public static let notify = MemberName(constant: "Notify")

  public static func call(_ member: MemberName) -> Message {
    Message.call(destination: name, path: path, interface: interface, member: member)
  }
}
