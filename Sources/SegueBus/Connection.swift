import CDBus
import CLinux
import SegueCore

/// A private connection of D-Bus, to a bus or to one peer. Confined to its loop's thread.
///
/// Messages are taken out of libdbus one by one and handed out here, instead of by `dbus_connection_dispatch`, whose
/// lock a handler would meet again when it runs the host's main loop inside itself. Replies are matched here too: a
/// pending call of libdbus is silent when the connection ends. The connection keeps itself alive until it is closed or
/// lost.
public final class Connection {
  public let loop: EventLoop
  /// Whether the other side is a bus, with names.
  public let isBus: Bool
  /// The name that the bus gave this connection; nil before, and on a peer-to-peer connection.
  public internal(set) var uniqueName: BusName?

  private(set) var raw: OpaquePointer?
  private let hooks: LibraryHooks
  private var isAuthenticated = false
  /// Whether the other side has read past the authentication: descriptors that come together with its last line are
  /// lost by libdbus, and the connection with them.
  private var canPassDescriptors: Bool
  private var isPinged = false
  private var isTurnQueued = false
  /// Whether the other side called in, so that it has to take its answers.
  private let isServed: Bool
  /// Runs while a call of the other side waits until that side reads its replies.
  private var patience: LoopTimer?
  /// How long such a call waits before the connection is ended.
  var untakenTime = Limits.untakenTime
  /// Messages that wait for the authentication, or behind descriptors that wait for the other side's first message.
  private var outbox: [(message: Message, pending: PendingReply?)] = []
  private var pending: [UInt32: PendingReply] = [:]
  private var disconnected: (() -> Void)?
  /// When a server accepted the connection, before the other end could authenticate; nil at the other end. The
  /// process that connected had begun before that.
  public internal(set) var accepted: Instant?
  /// Called when the other end has authenticated; for a server.
  var authenticated: (() -> Void)?
  /// Called when the connection was closed or lost; for a server.
  var ended: (() -> Void)?

  var objects: [String: BusObject] = [:]
  var subscriptions: [SignalSubscription] = []
  /// Calls from the other side that are not answered yet.
  var unanswered = 0

  /// Owns the caller's reference on `raw`.
  init(
    adopting raw: OpaquePointer, isBus: Bool, isServed: Bool = false, loop: EventLoop
  ) throws(SegueError) {
    self.raw = raw
    canPassDescriptors = isServed
    self.isServed = isServed
    self.isBus = isBus
    self.loop = loop
    hooks = LibraryHooks(loop: loop)
    dbus_connection_set_exit_on_disconnect(raw, 0)
    // This limit only pauses reading; a lower limit for one message would end the connection at the first larger one.
    dbus_connection_set_max_received_size(raw, Limits.receivedBytes)
    dbus_connection_set_max_received_unix_fds(raw, Limits.receivedDescriptors)
    hooks.worked = { [self] in turn() }
    hooks.isWaiting = { [self] in queueTurn() }
    guard hooks.attach(connection: raw) else {
      end()
      throw SegueError(.system, "The connection cannot be watched: out of descriptors or memory.")
    }
    queueTurn()
  }

  /// Connects to a peer that listens at `address` (`unix:` only). Blocks only for connect(2) on a unix socket; the
  /// authentication follows on the loop. Throws `.connectionUnavailable`, `.invalidArgument`, `.system`.
  public static func open(address: String, on loop: EventLoop) throws(SegueError) -> Connection {
    try Connection(adopting: connect(address), isBus: false, loop: loop)
  }

  static func connect(_ address: String) throws(SegueError) -> OpaquePointer {
    // Addresses of other kinds block for long or start programs (`unixexec:`, `autolaunch:`).
    let isLocal = address.parts(at: ";").allSatisfy { $0.utf8.starts(with: "unix:".utf8) }
    guard isLocal, !address.isEmpty, !address.utf8.contains(0) else {
      throw SegueError(.invalidArgument, "The address \(address) is not one of a unix socket.")
    }
    // Otherwise libdbus would ignore SIGPIPE for the whole process, which is not ours; on Linux no socket needs that.
    dbus_connection_set_change_sigpipe(0)
    var error = DBusError()
    dbus_error_init(&error)
    guard let raw = dbus_connection_open_private(address, &error) else {
      let text = error.message.map { String(cString: $0) } ?? ""
      dbus_error_free(&error)
      throw SegueError(.connectionUnavailable, "No connection to \(address): \(text)")
    }
    return raw
  }

  /// Whether it was neither closed nor lost. Authentication may still be under way.
  public var isOpen: Bool { raw != nil }

  /// Ends the connection from now on when a larger message begins, or one with more descriptors. The connection reads
  /// no further message behind `Limits.untakenBytes` of received ones. The limits are for peers only, since a bus
  /// passes on messages of any client.
  public func limitMessages(bytes: Int, descriptors: Int) {
    guard let raw else { return }
    dbus_connection_set_max_message_size(raw, bytes)
    dbus_connection_set_max_received_size(raw, min(bytes, Limits.untakenBytes))
    dbus_connection_set_max_message_unix_fds(raw, descriptors)
  }

  /// Called once, in a dispatch, when the other side ends the connection, after every pending reply has failed. Not
  /// called after `close()`. Nil removes the handler.
  public func setDisconnected(_ body: (() -> Void)?) {
    loop.checkThread()
    disconnected = body
  }

  /// Bytes that the other side has not taken yet.
  public var outgoingBytes: Int { raw.map { Int(dbus_connection_get_outgoing_size($0)) } ?? 0 }

  /// User and process at the other end of the socket when it was connected, as the kernel says; nil when closed. The
  /// process may have ended since. For a bus they are the bus's own.
  public func credentialsOfPeer() -> (uid: UInt32, pid: Int32)? { raw.flatMap { Self.credentials(ofPeerOf: $0) } }

  static func credentials(ofPeerOf raw: OpaquePointer) -> (uid: UInt32, pid: Int32)? {
    var socket: Int32 = -1
    var uid: uid_t = 0
    var pid: pid_t = 0
    guard dbus_connection_get_unix_fd(raw, &socket) != 0, segue_peer_credentials(socket, &uid, &pid) == 0 else {
      return nil
    }
    return (uid, pid)
  }

  // MARK: Sending

  /// Queues a message; a message that was sent before is sent once more. Throws `.connectionUnavailable` on a
  /// connection that is closed, `.limitExceeded` while the other side has `Limits.queuedBytes` still to take, `.system`
  /// for descriptors where they cannot pass.
  public func send(_ message: Message) throws(SegueError) { try transmit(message, nil) }

  /// Calls a method. `reply` is called exactly once, never inside this call: with the answer, with the answered error,
  /// or with `.connectionUnavailable` at the timeout, at the end of the connection, or where nothing could be sent.
  /// A timeout of `.max` is none.
  @discardableResult public func call(
    _ message: Message, timeout milliseconds: UInt64 = Limits.callTime,
    reply: @escaping (Result<Message, SegueError>) -> Void
  ) -> PendingReply {
    let callee = message.destination.flatMap { BusName($0) }
    let call = PendingReply(connection: self, callee: callee?.isUnique == true ? callee : nil, body: reply)
    message.isNoReply = false
    do throws(SegueError) {
      try transmit(message, call)
      if milliseconds != .max {
        call.timer = loop.timer(after: milliseconds) {
          call.finish(.failure(SegueError(.connectionUnavailable, "No answer within \(milliseconds) ms.")))
        }
      }
    } catch {
      loop.later { call.finish(.failure(error)) }
    }
    return call
  }

  private func transmit(_ message: Message, _ call: PendingReply?) throws(SegueError) {
    loop.checkThread()
    guard let raw, dbus_connection_get_is_connected(raw) != 0 else { throw Self.isClosed }
    guard outgoingBytes < Limits.queuedBytes, outbox.count < Limits.messageValues else {
      throw SegueError(.limitExceeded, "The other side takes no messages.")
    }
    guard call == nil || message.kind == .call else { throw SegueError(.invalidArgument, "The message is not a call.") }
    let message = try message.forSending()
    if isAuthenticated, outbox.isEmpty, canPassDescriptors || !message.hasDescriptors {
      try put(message, call)
    } else {
      outbox.append((message, call))
      sendWaiting()
    }
  }

  /// Sends the messages of the outbox that can be sent now, in order.
  private func sendWaiting() {
    guard isAuthenticated, !outbox.isEmpty else { return }
    let ready = canPassDescriptors ? outbox.count : outbox.firstIndex { $0.message.hasDescriptors } ?? outbox.count
    let sending = outbox.prefix(ready)
    outbox.removeFirst(ready)
    for (message, call) in sending {
      do throws(SegueError) { try put(message, call) } catch {
        if let call { loop.later { call.finish(.failure(error)) } }
      }
    }
    guard !outbox.isEmpty, !isBus, !isPinged else { return }
    // A bus answers Hello; a peer first needs a call to answer.
    isPinged = true
    let ping = Message.call(
      destination: nil, path: ObjectPath(constant: "/"),
      interface: InterfaceName(constant: "org.freedesktop.DBus.Peer"), member: MemberName(constant: "Ping"))
    do throws(SegueError) { try put(ping.forSending(), nil) } catch {}
  }

  private func put(_ message: Message, _ call: PendingReply?) throws(SegueError) {
    guard let raw else { throw Self.isClosed }
    guard !message.hasDescriptors || dbus_connection_can_send_type(raw, BusType.descriptor) != 0 else {
      throw SegueError(.system, "No descriptors can pass over this connection.")
    }
    var serial: dbus_uint32_t = 0
    guard dbus_connection_send(raw, message.raw, &serial) != 0 else {
      throw SegueError(.system, "A bus message could not be queued: out of memory.")
    }
    // Messages that waited may have been written with this one, and libdbus does not report that.
    if patience != nil { queueTurn() }
    if let call, call.isPending {
      call.serial = serial
      pending[serial] = call
    }
  }

  func forget(_ call: PendingReply) {
    if pending[call.serial] === call { pending[call.serial] = nil }
  }

  /// Writes the queued messages, for at most that time. Blocks; for the end of a process. Messages that come meanwhile
  /// are handed out at the next dispatch.
  public func flush(milliseconds: UInt64) {
    loop.checkThread()
    // libdbus also reads here, and does not report it.
    defer { queueTurn() }
    let start = Instant.now
    while let raw, dbus_connection_get_is_connected(raw) != 0 {
      noteProgress()
      guard !outbox.isEmpty || dbus_connection_has_messages_to_send(raw) != 0 else { return }
      let spent = Instant.now.time(since: start)
      guard spent < milliseconds else { return }
      _ = dbus_connection_read_write(raw, Int32(truncatingIfNeeded: min(milliseconds &- spent, 1_000)))
    }
  }

  // MARK: Receiving

  /// Queues a turn for the next dispatch.
  private func queueTurn() {
    guard !isTurnQueued, raw != nil else { return }
    isTurnQueued = true
    loop.later { [self] in
      isTurnQueued = false
      turn()
    }
  }

  /// Hands out messages: a limited number, since other connections want their turn as well.
  private func turn() {
    noteProgress()
    for _ in 0..<Limits.messagesPerTurn {
      guard let raw, dbus_connection_get_dispatch_status(raw) == DBUS_DISPATCH_DATA_REMAINS, !holdsBack(raw),
        let message = dbus_connection_pop_message(raw)
      else { return }
      receive(Message(adopting: message, frozen: true))
    }
    if let raw, dbus_connection_get_dispatch_status(raw) == DBUS_DISPATCH_DATA_REMAINS { queueTurn() }
  }

  /// Whether the next message is a call of a client that does not read its replies. The call waits until the client
  /// does, and the messages behind it wait too, first here and then in the system; the turn after a write continues
  /// with it. A client that calls and reads nothing for `untakenTime` is disconnected.
  private func holdsBack(_ raw: OpaquePointer) -> Bool {
    guard isServed, outgoingBytes > Limits.untakenBytes, dbus_connection_get_is_connected(raw) != 0,
      let next = dbus_connection_borrow_message(raw)
    else {
      patience?.cancel()
      patience = nil
      return false
    }
    let isCall = dbus_message_get_type(next) == DBUS_MESSAGE_TYPE_METHOD_CALL
    dbus_connection_return_message(raw, next)
    if isCall, patience == nil {
      patience = loop.timer(after: untakenTime) { [self] in if self.raw != nil { lose() } }
    }
    return isCall
  }

  /// Checks how far the connection has come, and sends the messages that waited for that.
  private func noteProgress() {
    guard let raw, !isAuthenticated || !canPassDescriptors else { return }
    if !canPassDescriptors, dbus_connection_get_dispatch_status(raw) == DBUS_DISPATCH_DATA_REMAINS {
      canPassDescriptors = true
    }
    guard isAuthenticated || dbus_connection_get_is_authenticated(raw) != 0 else { return }
    isAuthenticated = true
    sendWaiting()
    let body = authenticated
    authenticated = nil
    body?()
  }

  private func receive(_ message: Message) {
    switch message.kind {
    case .reply, .error:
      guard let call = pending[message.replySerial] else { return }
      // On a bus any client can send an answer with any number.
      if isBus, let callee = call.callee, message.sender != callee.string, message.sender != Bus.name { return }
      call.finish(message: message)
    case .signal:
      // libdbus refuses this interface from outside.
      if message.interface == Bus.localInterface {
        if message.member == "Disconnected" { lose() }
      } else {
        deliver(signal: message)
      }
    case .call:
      answer(message)
    }
  }

  // MARK: Ending

  private static var isClosed: SegueError { SegueError(.connectionUnavailable, "The connection is closed.") }

  /// Ends the connection: pending replies fail at the next dispatch, handlers of signals and names are let go, objects
  /// are no longer exported. Also in a handler; harmless when repeated.
  public func close() {
    loop.checkThread()
    disconnected = nil
    guard raw != nil else { return }
    let calls = end()
    loop.later { for call in calls { call.finish(.failure(Self.isClosed)) } }
  }

  /// Ends the connection to an other side that does not read, as if that side had ended it.
  func endOverloaded() {
    loop.later { [self] in if raw != nil { lose() } }
  }

  /// Handles the end of the connection by the other side.
  private func lose() {
    let error = SegueError(.connectionUnavailable, "The other side ended the connection.")
    for call in end() { call.finish(.failure(error)) }
    let body = disconnected
    disconnected = nil
    body?()
  }

  /// Releases everything, and so breaks every reference cycle. Returns the calls that are still to fail.
  @discardableResult private func end() -> [PendingReply] {
    guard let raw else { return [] }
    self.raw = nil
    authenticated = nil
    patience?.cancel()
    patience = nil
    // libdbus ends the process if the last reference goes before the close.
    dbus_connection_close(raw)
    hooks.detach(connection: raw)
    dbus_connection_unref(raw)
    let waiting = outbox.compactMap { $0.pending }
    let calls = pending.values.sorted { $0.serial < $1.serial } + waiting
    pending = [:]
    outbox = []
    for (path, object) in objects { object.wasUnexported(from: self, at: path) }
    objects = [:]
    let ending = subscriptions
    subscriptions = []
    for subscription in ending { subscription.retire() }
    let body = ended
    ended = nil
    body?()
    return calls.filter { $0.isPending }
  }
}
