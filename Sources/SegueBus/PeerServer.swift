import CDBus
import CLinux
import SegueCore

/// The listening end of peer-to-peer connections: a unix socket at a path. It accepts only processes of the same user,
/// after they have authenticated. Any process that reaches the socket can connect to it, so its directory must be
/// private. Confined to its loop's thread; lives until `close()`.
public final class PeerServer {
  private let loop: EventLoop
  private var raw: OpaquePointer?
  private let hooks: LibraryHooks
  private var accepted: ((Connection) -> Void)?
  private let firstMessage: Int?
  /// How long a new connection may take to authenticate.
  public var patience = Limits.handshakeTime
  /// A spare descriptor for when the process has no other left.
  private var reserve = PeerServer.makeReserve()
  /// The connections that did not authenticate yet, each with the timer that ends it.
  private var unauthenticated: [(connection: Connection, process: Int32?, timer: LoopTimer)] = []
  /// The number of open connections, unauthenticated ones included.
  public private(set) var connectionCount = 0

  /// Listens at `path`, and replaces a socket that an ended server left there. `accepted` is called in a dispatch with
  /// each connection that has authenticated, before any of its messages is handed out; it need not keep the connection,
  /// which lives until it is closed or lost. `firstMessage`: how many bytes, without descriptors, a message may have
  /// until `limitMessages` allows more. Throws `.system`, `.invalidArgument`.
  public init(
    path: String, on loop: EventLoop, firstMessage: Int? = nil, accepted: @escaping (Connection) -> Void
  ) throws(SegueError) {
    let address = try Connection.address(ofSocketAt: path)
    dbus_connection_set_change_sigpipe(0)
    var error = DBusError()
    dbus_error_init(&error)
    guard let raw = dbus_server_listen(address, &error) else {
      let text = error.message.map { String(cString: $0) } ?? ""
      dbus_error_free(&error)
      throw SegueError(.system, "Cannot listen at \(path): \(text)")
    }
    self.raw = raw
    self.loop = loop
    self.accepted = accepted
    self.firstMessage = firstMessage
    hooks = LibraryHooks(loop: loop)
    let isReady = "EXTERNAL".withCString { name in
      var mechanisms: [UnsafePointer<CChar>?] = [name, nil]
      return dbus_server_set_auth_mechanisms(raw, &mechanisms) != 0
    }
    dbus_server_set_new_connection_function(
      raw,
      { _, connection, data in
        guard let connection, let data else { return }
        Unmanaged<PeerServer>.fromOpaque(data).takeUnretainedValue().admit(connection)
      }, Unmanaged.passRetained(self).toOpaque(),
      { data in if let data { Unmanaged<PeerServer>.fromOpaque(data).release() } })
    hooks.mayAccept = { [self] in mayAccept($0) }
    guard isReady, hooks.attach(server: raw) else {
      close()
      throw SegueError(.system, "Cannot listen at \(path): out of descriptors or memory.")
    }
  }

  /// Stops listening, and closes connections that did not authenticate. Accepted ones stay. Harmless when repeated.
  public func close() {
    loop.checkThread()
    guard let raw else { return }
    self.raw = nil
    accepted = nil
    dbus_server_disconnect(raw)
    hooks.detach(server: raw)
    dbus_server_set_new_connection_function(raw, nil, nil, nil)
    dbus_server_unref(raw)
    let dropped = unauthenticated
    unauthenticated = []
    for peer in dropped {
      peer.timer.cancel()
      peer.connection.close()
    }
  }

  /// Whether the process has a descriptor for the next connection. If not, the reserve accepts and closes one, so that
  /// client learns at once that there is no room.
  private func mayAccept(_ socket: Int32) -> Bool {
    if reserve == nil { reserve = Self.makeReserve() }
    if reserve != nil, Self.makeReserve() != nil { return true }
    reserve = nil
    let waiting = accept(socket, nil, nil)
    if waiting >= 0 { _ = CLinux.close(waiting) }
    reserve = Self.makeReserve()
    return false
  }

  private static func makeReserve() -> FileDescriptor? {
    let descriptor = eventfd(0, Int32(truncatingIfNeeded: EFD_CLOEXEC))
    return descriptor < 0 ? nil : FileDescriptor(owning: descriptor)
  }

  private static var most: Int { Limits.doorConnections + Limits.doorRefusals + Limits.unauthenticatedConnections }

  /// Called from inside libdbus, which closes a connection that this does not keep.
  private func admit(_ raw: OpaquePointer) {
    let process = Connection.credentials(ofPeerOf: raw)?.pid
    makeRoom(for: process)
    guard connectionCount < Self.most, let held = dbus_connection_ref(raw) else { return }
    // libdbus's default would accept root as well.
    dbus_connection_set_unix_user_function(held, { _, uid, _ in uid == UInt(geteuid()) ? 1 : 0 }, nil, nil)
    do throws(SegueError) {
      let connection = try Connection(adopting: held, isBus: false, isServed: true, loop: loop)
      connection.accepted = .now
      // The limit is set now, since the first message can come together with the end of the authentication.
      if let firstMessage { connection.limitMessages(bytes: firstMessage, descriptors: 0) }
      connectionCount &+= 1
      connection.ended = { [self] in
        connectionCount &-= 1
        forget(connection)
      }
      connection.authenticated = { [self] in
        forget(connection)
        accepted?(connection)
      }
      let timer = loop.timer(after: patience) { connection.close() }
      unauthenticated.append((connection, process, timer))
    } catch {}
  }

  /// Closes an unauthenticated connection for a new one: silent ones, renewed for ever, would otherwise lock all others
  /// out. A process first displaces connections of its own, so that one with many of them does not displace others.
  private func makeRoom(for process: Int32?) {
    let own = unauthenticated.filter { $0.process == process }
    if own.count >= Limits.unauthenticatedPerSource {
      own.first?.connection.close()
    } else if unauthenticated.count >= Limits.unauthenticatedConnections || connectionCount >= Self.most {
      unauthenticated.first?.connection.close()
    }
  }

  private func forget(_ connection: Connection) {
    for peer in unauthenticated where peer.connection === connection { peer.timer.cancel() }
    unauthenticated.removeAll { $0.connection === connection }
  }
}
