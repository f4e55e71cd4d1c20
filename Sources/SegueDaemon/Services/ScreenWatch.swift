import Glibc
import SegueBus
import SegueCore
import SegueEngine

/// Tells whether the user's screen is locked, by what the desktop tells logind (`LockedHint`, org.freedesktop.login1(5)).
/// Without logind it tells nothing, and a screen that was locked stays so until logind says otherwise.
final class ScreenWatch {
  private var user: SystemBus.User?
  private var bus: Connection?
  private var subscriptions: [SignalSubscription] = []
  /// Whether logind runs: it may start after the bus, or anew.
  private var owner: NameWatch?
  /// Answers to former requests do not matter.
  private var request = 0
  private let changed: (Bool) -> Void

  private static let name = BusName(constant: "org.freedesktop.login1")
  private static let path = ObjectPath(constant: "/org/freedesktop/login1")
  private static let manager = InterfaceName(constant: "org.freedesktop.login1.Manager")
  private static let session = InterfaceName(constant: "org.freedesktop.login1.Session")
  private static let properties = InterfaceName(constant: "org.freedesktop.DBus.Properties")

  /// `changed` gets whether the screen is locked, soon and at each change, in dispatches of the loop, until `close`.
  init(_ bus: SystemBus, changed: @escaping (Bool) -> Void) {
    self.changed = changed
    user = bus.use { [weak self] connection in self?.use(connection) }
  }

  func close() {
    use(nil)
    user?.cancel()
    user = nil
  }

  private func use(_ connection: Connection?) {
    for subscription in subscriptions { subscription.cancel() }
    subscriptions = []
    owner?.cancel()
    owner = nil
    request += 1
    bus = connection
    guard let connection else { return }
    for member in ["SessionNew", "SessionRemoved"] as [StaticString] {
      subscriptions.append(
        connection.addSignalHandler(
          sender: Self.name, path: Self.path, interface: Self.manager, member: MemberName(constant: member)
        ) { [weak self] _ in self?.look() })
    }
    subscriptions.append(
      connection.addSignalHandler(
        sender: Self.name, interface: Self.properties, member: MemberName(constant: "PropertiesChanged"),
        namespace: BusName(constant: "org.freedesktop.login1.Session")
      ) { [weak self] message in
        guard let values = try? message.arguments(), values.first?.asString == Self.session.string,
          values.count == 3,
          values[1].asDictionary?["LockedHint"] != nil
            || values[2].asStrings?.contains("LockedHint") == true
        else { return }
        self?.look()
      })
    owner = connection.watchOwner(of: Self.name) { [weak self] owner in
      if owner != nil { self?.look() }
    }
  }

  /// Asks for the sessions of this user, and each whether it is locked.
  private func look() {
    request += 1
    let asked = request
    ask(Self.path, Self.manager, "ListSessions", []) { [weak self] values in
      guard let self, asked == request, let values else { return }
      // Each is an id, a user's number and name, a seat and an object.
      let paths = (values.first?.asArray ?? []).compactMap { row -> ObjectPath? in
        guard case .structure(let fields) = row, fields.count == 5, fields[1].asUInt32 == getuid() else { return nil }
        return fields[4].asObjectPath
      }
      look(at: paths[...], [], asked)
    }
  }

  private func look(at paths: ArraySlice<ObjectPath>, _ known: [LoginSession], _ asked: Int) {
    guard let path = paths.first else { return changed(LoginSession.areLocked(known)) }
    ask(path, Self.properties, "GetAll", [.string(Self.session.string)]) { [weak self] values in
      guard let self, asked == request else { return }
      // One that has ended meanwhile has no answer, and does not count.
      let fields = values?.first?.asDictionary
      let session = LoginSession(
        type: fields?["Type"]?.asString, class: fields?["Class"]?.asString, isLocked: fields?["LockedHint"]?.asBool)
      look(at: paths.dropFirst(), known + [session], asked)
    }
  }

  private func ask(
    _ path: ObjectPath, _ interface: InterfaceName, _ member: StaticString, _ arguments: [BusValue],
    _ reply: @escaping ([BusValue]?) -> Void
  ) {
    let call = Message.call(
      destination: Self.name, path: path, interface: interface, member: MemberName(constant: member))
    call.isNoAutoStart = true
    try? call.append(arguments)
    bus?.call(call, timeout: Limits.busTime) { result in
      if case .success(let message) = result { reply(try? message.arguments()) } else { reply(nil) }
    }
  }
}
