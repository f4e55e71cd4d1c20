import SegueCore

extension ValidatedName {
  /// A name that is written in the program. A malformed one stops the program: a `StaticString` cannot come from
  /// outside, so the first test that runs the line finds it. Any thread.
  public init(constant: StaticString) {
    let string = constant.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
    guard let name = Self(string) else { preconditionFailure("A malformed name in the program.") }
    self = name
  }
}

/// The bus itself: its name, its object, its interface, and the interfaces that every object has.
enum Bus {
  static let name = "org.freedesktop.DBus"
  static let path = "/org/freedesktop/DBus"
  static let localInterface = "org.freedesktop.DBus.Local"
  static let peerInterface = "org.freedesktop.DBus.Peer"
  static let introspectableInterface = "org.freedesktop.DBus.Introspectable"
  static let propertiesInterface = "org.freedesktop.DBus.Properties"

  /// A call of the bus's own.
  static func call(_ member: StaticString) -> Message {
    Message.call(
      destination: BusName(constant: "org.freedesktop.DBus"), path: ObjectPath(constant: "/org/freedesktop/DBus"),
      interface: InterfaceName(constant: "org.freedesktop.DBus"), member: MemberName(constant: member))
  }
}

/// The standard error names of D-Bus.
enum BusErrorName {
  static let failed = InterfaceName(constant: "org.freedesktop.DBus.Error.Failed")
  static let invalidArguments = InterfaceName(constant: "org.freedesktop.DBus.Error.InvalidArgs")
  static let limitsExceeded = InterfaceName(constant: "org.freedesktop.DBus.Error.LimitsExceeded")
  static let propertyReadOnly = InterfaceName(constant: "org.freedesktop.DBus.Error.PropertyReadOnly")
  static let unknownInterface = InterfaceName(constant: "org.freedesktop.DBus.Error.UnknownInterface")
  static let unknownMethod = InterfaceName(constant: "org.freedesktop.DBus.Error.UnknownMethod")
  static let unknownObject = InterfaceName(constant: "org.freedesktop.DBus.Error.UnknownObject")
  static let unknownProperty = InterfaceName(constant: "org.freedesktop.DBus.Error.UnknownProperty")
}
