import SegueBus
import SegueCore
import SegueEngine

/// The system bus, for the parts of the daemon that need it (its users). While there are users, the daemon has one
/// connection to it.
///
/// A machine may have no system bus, or one that starts later. Without one, the daemon watches for the bus's socket,
/// which costs nothing. It tries to connect for a while when the socket appears, and when the bus is lost.
final class SystemBus {
  /// A part of the daemon that uses the bus.
  final class User {
    private var changed: ((Connection?) -> Void)?
    /// Whether it has the bus, as it was last told.
    private var hasBus: Bool?
    private weak var bus: SystemBus?

    fileprivate init(_ bus: SystemBus, _ changed: @escaping (Connection?) -> Void) {
      self.bus = bus
      self.changed = changed
    }

    /// Ends the use. `changed` is not called afterwards.
    func cancel() {
      end()
      bus?.leave(self)
    }

    fileprivate func end() { changed = nil }

    fileprivate func tell(_ connection: Connection?) {
      guard hasBus != (connection != nil) else { return }
      hasBus = connection != nil
      changed?(connection)
    }
  }

  private let address: String?
  private let loop: EventLoop
  private let log: Log
  private var users: [User] = []
  private var connection: Connection?
  /// The bus has given the connection its unique name.
  private var isUp = false
  /// There was a bus, or there is news of its socket.
  private var isExpected = false
  private var reconnection = Reconnection(patience: Limits.busAbsence)
  private var timer: LoopTimer?
  /// While the bus is missing.
  private var socket: SocketWatch?

  /// Whether the bus is missing and will be tried again.
  var isTrying: Bool { timer != nil }

  /// `address`: nil for the environment's, or the usual one.
  init(address: String? = nil, loop: EventLoop, log: Log) {
    self.address = address
    self.loop = loop
    self.log = log
  }

  /// `changed` is called with the connection, or with nil where there is none: soon, and at each change, in dispatches
  /// of the loop, until the user cancels. The caller holds on to the user that is returned.
  func use(_ changed: @escaping (Connection?) -> Void) -> User {
    let user = User(self, changed)
    users.append(user)
    if isUp {
      loop.later { [weak self, weak user] in
        guard let self, isUp else { return }
        user?.tell(connection)
      }
    } else if connection == nil {
      reconnection.succeeded()
      timer?.cancel()
      connect()
    }
    return user
  }

  /// Ends the connection without telling the users.
  func close() {
    for user in users { user.end() }
    users = []
    disconnect()
  }

  private func leave(_ user: User) {
    users.removeAll { $0 === user }
    if users.isEmpty { disconnect() }
  }

  private func disconnect() {
    timer?.cancel()
    timer = nil
    socket?.close()
    socket = nil
    isUp = false
    isExpected = false
    let former = connection
    connection = nil
    former?.close()
  }

  private var target: String { address ?? Connection.systemAddress }

  private func connect() {
    timer?.cancel()
    timer = nil
    do throws(SegueError) {
      var opened: Connection?
      let connection = try Connection.openBus(address: target, on: loop) { [weak self] error in
        guard let self, let opened, self.connection === opened else { return }
        if error == nil { came() } else { went() }
      }
      opened = connection
      self.connection = connection
      connection.setDisconnected { [weak self] in
        guard let self, self.connection === connection else { return }
        went()
      }
    } catch {
      went()
    }
  }

  private func came() {
    isUp = true
    isExpected = true
    reconnection.succeeded()
    socket?.close()
    socket = nil
    tell(connection)
  }

  private func went() {
    let former = connection
    connection = nil
    former?.close()
    if isUp {
      isUp = false
      log.notice("The system bus is gone. Trying again.", cause: "system bus")
      tell(nil)
    } else {
      // Perhaps inside the call of a user that is yet to come.
      loop.later { [weak self] in
        if let self, self.connection == nil { tell(nil) }
      }
    }
    guard !users.isEmpty, connection == nil, timer == nil else { return }
    guard socket != nil || !awaitSocket() else { return connect() }
    guard isExpected, let time = reconnection.failed(now: Instant.now) else { return }
    timer = loop.timer(after: time) { [weak self] in self?.connect() }
  }

  /// Returns whether the socket is watched now, so that the bus is to be looked for once more: it may just have come.
  private func awaitSocket() -> Bool {
    socket = SocketWatch(of: target, loop) { [weak self] in
      guard let self else { return }
      isExpected = true
      reconnection.succeeded()
      if connection == nil { connect() }
    }
    return socket != nil
  }

  private func tell(_ connection: Connection?) {
    for user in users {
      // A user that was told before may have closed this, or the bus.
      guard isUp == (connection != nil) else { return }
      user.tell(connection)
    }
  }
}
