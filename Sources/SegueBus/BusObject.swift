import SegueCore

/// An object that answers calls on its interfaces. It may be exported on several connections and paths; the standard
/// interfaces Introspectable, Properties and Peer come with it. Loop thread.
public final class BusObject {
  /// The interfaces that it answers, without the standard ones.
  public private(set) lazy var interfaces: [BusInterface] = make()
  private let make: () -> [BusInterface]
  private var exports: [(connection: Connection, path: ObjectPath)] = []

  /// Makes an object that is exported nowhere yet.
  public init(_ interfaces: [BusInterface]) { make = { interfaces } }

  /// Makes an object whose interfaces are made when somebody asks for them: many methods, which few callers need.
  public init(lazily make: @escaping () -> [BusInterface]) { self.make = make }

  /// Sends a signal on every connection where the object is exported. Throws `.notFound` for a signal that the
  /// interface does not declare, `.invalidArgument` for values of another signature. A connection that cannot take the
  /// signal does not get it.
  public func emit(_ interface: InterfaceName, _ name: String, _ values: [BusValue]) throws(SegueError) {
    guard let signal = self.interface(interface.string)?.signals.first(where: { $0.name == name }),
      let member = MemberName(name)
    else { throw SegueError(.notFound, "The object has no signal \(interface.string).\(name).") }
    let signature = signal.arguments.reduce(into: "") { $0 += $1.signature }
    guard try BusValueCheck.signature(of: values) == signature else {
      throw SegueError(.invalidArgument, "The values of the signal \(name) do not have its signature.")
    }
    try send(interface, member, values)
  }

  /// Announces that properties have other values now (`PropertiesChanged`). Throws `.notFound` for a property that the
  /// interface does not declare as one whose changes are emitted.
  public func changed(_ interface: InterfaceName, _ names: [String]) throws(SegueError) {
    var values = BusDictionary()
    for name in names {
      guard let property = property(interface.string, name), property.changes == .emitted else {
        throw SegueError(.notFound, "The object has no property \(interface.string).\(name) that tells changes.")
      }
      values[name] = property.get()
    }
    try send(
      InterfaceName(constant: "org.freedesktop.DBus.Properties"), MemberName(constant: "PropertiesChanged"),
      [.string(interface.string), .dictionary(values), .strings([])])
  }

  private func send(_ interface: InterfaceName, _ member: MemberName, _ values: [BusValue]) throws(SegueError) {
    for (connection, path) in exports {
      let message = Message.signal(path: path, interface: interface, member: member)
      try message.append(values)
      do throws(SegueError) { try connection.send(message) } catch {}
    }
  }

  func interface(_ name: String) -> BusInterface? { interfaces.first { $0.name.string == name } }

  func property(_ interface: String, _ name: String) -> BusProperty? {
    self.interface(interface)?.properties.first { $0.name == name }
  }

  func wasExported(on connection: Connection, at path: ObjectPath) { exports.append((connection, path)) }

  func wasUnexported(from connection: Connection, at path: String) {
    exports.removeAll { $0.connection === connection && $0.path.string == path }
  }
}
