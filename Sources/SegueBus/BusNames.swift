import CDBus
import CLinux
import SegueCore

/// The outcome of the request for a name.
public enum NameOutcome: Equatable, Sendable {
  /// This connection owns the name now.
  case owner
  /// Another connection owns it.
  case taken
  /// The bus does not allow it, or the filter that a sandbox has before the bus; asking again does not help.
  case refused(SegueError)
  case failed(SegueError)
}

/// How long this connection wants to keep a name.
public enum NameTenure: Sendable {
  /// No other connection may take it away.
  case good
  /// The same, and it is taken from an owner that yields it.
  case goodFromYielding
  /// This connection owns it until another one asks for it with `goodFromYielding`.
  case yielding

  fileprivate var flags: UInt32 {
    let (allowReplacement, replaceExisting): (UInt32, UInt32) = (1, 2)
    return switch self {
    case .good: 0
    case .goodFromYielding: replaceExisting
    case .yielding: allowReplacement
    }
  }
}

extension Connection {
  /// Connects to a bus: at `address`, else where the environment says that the session bus is. Blocks only for
  /// connect(2); `ready` is called once, in a dispatch, with nil when the bus has given a name, with an error else.
  /// Calls may be made at once, and wait. Throws as `open` does.
  public static func openBus(
    address: String? = nil, on loop: EventLoop, ready: @escaping (SegueError?) -> Void
  ) throws(SegueError) -> Connection {
    let raw: OpaquePointer
    if let address { raw = try connect(address) } else { raw = try connectToSession() }
    let connection = try Connection(adopting: raw, isBus: true, loop: loop)
    connection.call(Bus.call("Hello")) { result in
      switch result {
      case .success(let message):
        guard case .string(let string)? = first(message), let name = BusName(string), let raw = connection.raw,
          dbus_bus_set_unique_name(raw, name.string) != 0
        else {
          connection.close()
          return ready(SegueError(.protocolViolation, "The bus gave no valid name."))
        }
        connection.uniqueName = name
        ready(nil)
      case .failure(let error):
        connection.close()
        ready(error)
      }
    }
    return connection
  }

  private static func connectToSession() throws(SegueError) -> OpaquePointer {
    guard let address = sessionAddress else { throw noSession("There is no session bus.") }
    do throws(SegueError) { return try connect(address) } catch {
      // The system's own message has no full stop.
      let reason = error.message.utf8.last == UInt8(ascii: ".") ? error.message : error.message + "."
      throw noSession("There is no session bus. \(reason)")
    }
  }

  private static func noSession(_ message: String) -> SegueError {
    SegueError(
      .connectionUnavailable, message,
      advice: "Start the program in a desktop session. Elsewhere, as over ssh, set DBUS_SESSION_BUS_ADDRESS to that "
        + "session's bus, or begin one: dbus-run-session bash")
  }

  /// The session bus's address from the environment; nil where the environment has none.
  public static var sessionAddress: String? {
    if let address = getenv("DBUS_SESSION_BUS_ADDRESS"), address.pointee != 0 {
      return withoutServerIDs(String(cString: address))
    }
    guard let folder = getenv("XDG_RUNTIME_DIR"), folder.pointee != 0,
      let escaped = dbus_address_escape_value(String(cString: folder))
    else { return nil }
    defer { dbus_free(escaped) }
    return "unix:path=" + String(cString: escaped) + "/bus"
  }

  /// The address of a socket of this machine. Throws `invalidArgument` for a path that no address can hold.
  public static func address(ofSocketAt path: String) throws(SegueError) -> String {
    guard !path.isEmpty, !path.utf8.contains(0), let escaped = dbus_address_escape_value(path) else {
      throw SegueError(.invalidArgument, "The path of the socket is malformed.")
    }
    defer { dbus_free(escaped) }
    return "unix:path=" + String(cString: escaped)
  }

  /// The system bus's address: that of the environment, else the usual one (D-Bus specification).
  public static var systemAddress: String {
    guard let address = getenv("DBUS_SYSTEM_BUS_ADDRESS"), address.pointee != 0 else {
      return "unix:path=/var/run/dbus/system_bus_socket"
    }
    return withoutServerIDs(String(cString: address))
  }

  /// The paths of the sockets at these addresses, of those that have one.
  public static func socketPaths(_ addresses: String) -> [String] {
    var entries: UnsafeMutablePointer<OpaquePointer?>?
    var count: Int32 = 0
    guard dbus_parse_address(addresses, &entries, &count, nil) != 0, let entries else { return [] }
    defer { dbus_address_entries_free(entries) }
    var paths: [String] = []
    for index in 0..<Int(count) {
      // The string is the entry's own, unescaped.
      if let path = dbus_address_entry_get_value(entries[index], "path") { paths.append(String(cString: path)) }
    }
    return paths
  }

  /// Removes the server's id from each address: the bus adds its own to the one that it gives to programs that it
  /// launches, but a bus that is started anew at its old place has another id, and is the session bus all the same.
  static func withoutServerIDs(_ addresses: String) -> String {
    var kept: [UInt8] = []
    for address in addresses.utf8.split(separator: UInt8(ascii: ";")) {
      if !kept.isEmpty { kept.append(UInt8(ascii: ";")) }
      var isFirst = true
      for part in address.split(separator: UInt8(ascii: ",")) where !part.starts(with: "guid=".utf8) {
        if !isFirst { kept.append(UInt8(ascii: ",")) }
        kept += Array(part)
        isFirst = false
      }
    }
    return String(decoding: kept, as: UTF8.self)
  }

  /// Asks the bus for a name, without queuing for it. `reply` is called once, in a dispatch.
  public func requestName(
    _ name: BusName, for tenure: NameTenure = .good, reply: @escaping (NameOutcome) -> Void
  ) {
    let doNotQueue: UInt32 = 4
    var pending: PendingReply?
    pending = callBus("RequestName", [.string(name.string), .uint32(doNotQueue | tenure.flags)]) { result in
      let errorName = pending?.errorName
      pending = nil
      switch result {
      // The bus is there, so that it is the name that a filter does not know.
      case .failure where errorName == Sandbox.denied || errorName == Sandbox.hidden:
        reply(.refused(Sandbox.refusal(of: name)))
      case .failure(let error): reply(.failed(error))
      case .success(let message):
        switch first(message) {
        // The new owner, or the owner already.
        case .uint32(1), .uint32(4): reply(.owner)
        case .uint32: reply(.taken)
        default: reply(.failed(SegueError(.protocolViolation, "The bus did not say who owns \(name.string).")))
        }
      }
    }
  }

  /// Gives a name back. `reply` is called once, in a dispatch, with nil also if this connection did not own the name.
  public func releaseName(_ name: BusName, reply: @escaping (SegueError?) -> Void = { _ in }) {
    callBus("ReleaseName", [.string(name.string)]) { result in
      if case .failure(let error) = result { reply(error) } else { reply(nil) }
    }
  }

  /// Watches a name's owner: `changed` is called once soon, in a dispatch, and then at every change, with the unique
  /// name of the owner or nil. Kept until cancelled; silent after the connection's end, apart from that one first time.
  public func watchOwner(of name: BusName, _ changed: @escaping (BusName?) -> Void) -> NameWatch {
    let watch = NameWatch(changed)
    guard isBus, isOpen else {
      loop.later { watch.note(nil) }
      return watch
    }
    // The subscription comes before the request, so that no change between the two is missed.
    let subscription = SignalSubscription(
      connection: self, sender: BusName(constant: "org.freedesktop.DBus"),
      path: ObjectPath(constant: "/org/freedesktop/DBus"), interface: InterfaceName(constant: "org.freedesktop.DBus"),
      member: MemberName(constant: "NameOwnerChanged"), argument: name
    ) { message in
      guard let values = arguments(message), values.count == 3, values[0] == .string(name.string),
        let owner = values[2].asString
      else { return }
      watch.note(BusName(owner))
    }
    watch.subscription = subscription
    subscription.start()
    callBus("GetNameOwner", [.string(name.string)]) { result in
      guard !watch.isKnown else { return }
      if case .success(let message) = result {
        watch.note(first(message)?.asString.flatMap { BusName($0) })
      } else {
        watch.note(nil)
      }
    }
    return watch
  }

  /// Calls back when all messages that the bus had sent until now have come and were handled; also if the bus is lost.
  public func afterWhatWasSent(_ body: @escaping () -> Void) { callBus("GetId", []) { _ in body() } }

  @discardableResult
  private func callBus(
    _ member: StaticString, _ values: [BusValue], reply: @escaping (Result<Message, SegueError>) -> Void
  ) -> PendingReply? {
    let message = Bus.call(member)
    do throws(SegueError) {
      guard isBus else { throw SegueError(.connectionUnavailable, "There are no names without a bus.") }
      try message.append(values)
    } catch {
      loop.later { reply(.failure(error)) }
      return nil
    }
    return call(message, reply: reply)
  }
}

/// The watching of a name's owner. Loop thread.
public final class NameWatch {
  /// The unique name of the owner that `changed` was last called with.
  public private(set) var owner: BusName?
  private(set) var isKnown = false
  private var changed: ((BusName?) -> Void)?
  var subscription: SignalSubscription?

  init(_ changed: @escaping (BusName?) -> Void) { self.changed = changed }

  /// Ends the watch: `changed` is not called (any more).
  public func cancel() {
    changed = nil
    subscription?.cancel()
    subscription = nil
  }

  func note(_ owner: BusName?) {
    guard let changed, !isKnown || owner != self.owner else { return }
    isKnown = true
    self.owner = owner
    changed(owner)
  }
}

/// The arguments; nil for a message beyond limits.
private func arguments(_ message: Message) -> [BusValue]? {
  do throws(SegueError) { return try message.arguments() } catch { return nil }
}

private func first(_ message: Message) -> BusValue? { arguments(message)?.first }
