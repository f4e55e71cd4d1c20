import SegueCore

/// The addresses of Segue's own objects: the names of `design.md` section 5.
public enum SegueAddress {
  public static let daemonName = BusName(constant: "org.segue.Daemon1")
  public static let daemonPath = ObjectPath(constant: "/org/segue/Daemon1")
  public static let daemonInterface = InterfaceName(constant: "org.segue.Daemon1")
  public static let controlName = BusName(constant: "org.segue.Control1")
  public static let controlPath = ObjectPath(constant: "/org/segue/Control1")
  public static let controlInterface = InterfaceName(constant: "org.segue.Control1")
  public static let applicationPath = ObjectPath(constant: "/org/segue/Application1")
  public static let applicationInterface = InterfaceName(constant: "org.segue.Application1")
  public static let doorPath = ObjectPath(constant: "/org/segue/Door1")
  public static let doorInterface = InterfaceName(constant: "org.segue.Door1")
  public static let doorApplicationPath = ObjectPath(constant: "/org/segue/DoorApplication1")
  public static let doorApplicationInterface = InterfaceName(constant: "org.segue.DoorApplication1")
}
