import SegueBus
import SegueControl
import SegueCore

/// The daemon, as a command talks to it: at its private door, because on the session bus offers carry no titles.
/// Every call blocks until it is answered, within a bound.
final class DaemonClient {
  private let loop: EventLoop
  private let door: Connection
  private let callTime: UInt64
  private var hasNews = false
  /// Called for each signal, inside of calls and of `waitForSignal`.
  var onSignal: ((ControlSignal) -> Void)?

  // MARK: The door

  /// Enters by the daemon's door. Where it does not run, it is started, unless `startsIt` is false.
  static func open(startsIt: Bool = true, callTime: UInt64 = Limits.callTime) throws(CommandFailure) -> DaemonClient {
    let loop = try CommandFailure.mapping(.unreachable) { () throws(SegueError) in try EventLoop() }
    var refusal: SegueError?
    let bus = try CommandFailure.mapping(.unreachable) { () throws(SegueError) in
      try Connection.openBus(on: loop) { refusal = $0 }
    }
    defer { bus.close() }
    do throws(CommandFailure) {
      return try enter(bus, loop, startsIt: startsIt, callTime: callTime)
    } catch {
      // Why the bus itself refused says more than that the call could not be sent.
      throw refusal.map { CommandFailure(.unreachable, refused($0)) } ?? error
    }
  }

  /// Waits for the daemon that comes after one that has ended, without starting it. Throws when the bus ends.
  static func next() throws(CommandFailure) -> DaemonClient {
    let loop = try CommandFailure.mapping(.unreachable) { () throws(SegueError) in try EventLoop() }
    let bus = try CommandFailure.mapping(.unreachable) { () throws(SegueError) in
      try Connection.openBus(on: loop) { _ in }
    }
    defer { bus.close() }
    var owner: BusName?
    let watch = bus.watchOwner(of: SegueAddress.daemonName) { owner = $0 }
    defer { watch.cancel() }
    while true {
      guard let current = owner else {
        guard bus.isOpen else { throw CommandFailure(.unreachable, busIsGone) }
        loop.wait(milliseconds: -1)
        continue
      }
      do throws(CommandFailure) {
        return try enter(bus, loop, startsIt: false, callTime: Limits.callTime)
      } catch {
        // The daemon was still the former one, or has ended as well: then another one comes, or none for now.
        let end = Instant.now + Limits.busTime
        while owner == current, bus.isOpen, Instant.now < end { loop.wait(milliseconds: 100) }
        guard owner != current else { throw error }
      }
    }
  }

  static func enter(
    _ bus: Connection, _ loop: EventLoop, startsIt: Bool, callTime: UInt64
  ) throws(CommandFailure) -> DaemonClient {
    var result: Result<Connection, DoorConnector.Failure>?
    DoorConnector { result = $0 }.begin(through: bus, startsDaemon: startsIt, timeout: callTime)
    while true {
      switch result {
      case .success(let door)?: return DaemonClient(loop: loop, door: door, callTime: callTime)
      case .failure(let failure)?: throw commandFailure(failure)
      case nil: loop.wait(milliseconds: -1)
      }
    }
  }

  /// An error that the daemon answered is a failure; anything else means that it is not there. At the door only the
  /// daemon answers; on a bus the bus itself does, too.
  private static func commandFailure(_ failure: DoorConnector.Failure) -> CommandFailure {
    guard let name = failure.errorName else {
      guard failure.error.code == .connectionUnavailable else { return CommandFailure(.unreachable, failure.error) }
      return CommandFailure(
        .unreachable, failure.isTimeout ? isSilent(failure.error) : failure.step == .hello ? isGone : failure.error)
    }
    if failure.step == .hello || name.begins(with: SegueError.Code.busPrefix) {
      // One that cannot start says so itself, and ends.
      let isThere = failure.step == .hello || failure.error.code != .connectionUnavailable
      return CommandFailure(isThere ? .failed : .unreachable, failure.error)
    }
    return CommandFailure(.unreachable, failure.isUnknown ? notInstalled : notStarted(failure.error))
  }

  private init(loop: EventLoop, door: Connection, callTime: UInt64) {
    self.loop = loop
    self.door = door
    self.callTime = callTime
    door.addSignalHandler(path: SegueAddress.controlPath, interface: SegueAddress.controlInterface) {
      [weak self] message in
      guard let self, let signal = ControlSignal(message) else { return }
      hasNews = true
      onSignal?(signal)
    }
  }

  /// Whether the daemon was still there when its last message was read.
  var isOpen: Bool { door.isOpen }

  /// Ends both connections. The daemon notices by itself.
  func close() {
    door.close()
    loop.close()
  }

  // MARK: Calls

  /// Calls a method of `org.segue.Control1`, and waits for the answer.
  @discardableResult func call(
    _ method: ControlMethod, _ values: [BusValue] = [], timeout: UInt64? = nil
  ) throws(CommandFailure) -> [BusValue] {
    guard let member = MemberName(method.rawValue) else { throw CommandFailure(.failed, Self.notUnderstood) }
    let message = Message.call(
      destination: nil, path: SegueAddress.controlPath, interface: SegueAddress.controlInterface, member: member)
    try CommandFailure.mapping(.failed) { () throws(SegueError) in try message.append(values) }
    var result: Result<Message, SegueError>?
    let pending = door.call(message, timeout: timeout ?? callTime) { result = $0 }
    while true {
      switch result {
      case .success(let reply)?:
        return try CommandFailure.mapping(.failed) { () throws(SegueError) in try reply.arguments() }
      case .failure(let error)?:
        if pending.errorName != nil { throw CommandFailure(.failed, error) }
        throw CommandFailure(.unreachable, door.isOpen ? Self.isSilent(error) : Self.isGone)
      case nil: loop.wait(milliseconds: -1)
      }
    }
  }

  /// Calls a method that answers with one value: an `a{sv}`, or a list of those.
  func ask<T: BusField>(_ method: ControlMethod, _ values: [BusValue] = []) throws(CommandFailure) -> T {
    try Self.understood(try call(method, values).first.flatMap { T.of(busValue: $0) })
  }

  /// The continuation that ended last; nil where there was none.
  func lastContinuation() throws(CommandFailure) -> LastContinuation? {
    let answer = try Self.understood(try call(.getLast).first?.asDictionary)
    return answer.entries.isEmpty ? nil : try Self.understood(LastContinuation.of(busValue: .dictionary(answer)))
  }

  /// The user's choices of applications.
  func defaults() throws(CommandFailure) -> [(type: String, app: String)] {
    try Self.understood(DefaultChoices.decode(try call(.getDefaults).first))
  }

  private static func understood<T>(_ value: T?) throws(CommandFailure) -> T {
    guard let value else { throw CommandFailure(.failed, notUnderstood) }
    return value
  }

  /// Standard input, read from the first use on inside of calls and of `waitForNews`.
  private(set) lazy var input = LineInput(loop) { [weak self] in self?.hasNews = true }

  /// Blocks until a signal has come since the last time, or a line was typed; at most so long. Returns whether that was
  /// so. Throws when the daemon ends.
  func waitForNews(milliseconds: UInt64) throws(CommandFailure) -> Bool {
    let end = Instant.now + milliseconds
    while !hasNews {
      guard door.isOpen else { throw CommandFailure(.unreachable, Self.isGone) }
      let now = Instant.now
      guard now < end else { return false }
      loop.wait(milliseconds: Int32(clamping: now.time(until: end)))
    }
    hasNews = false
    return true
  }

  /// Blocks until a signal has come since the last time. Throws when the daemon ends.
  func waitForSignal() throws(CommandFailure) {
    while !hasNews {
      guard door.isOpen else { throw CommandFailure(.unreachable, Self.isGone) }
      loop.wait(milliseconds: -1)
    }
    hasNews = false
  }

  // MARK: Errors

  private static let isGone = SegueError(
    .connectionUnavailable, "The Segue daemon has ended.",
    advice: "Run the command again, which starts it. If it ends again: journalctl --user -u segued")

  private static let busIsGone = SegueError(
    .connectionUnavailable, "The session bus has ended.", advice: "Run the command again when there is one.")

  private static let notUnderstood = SegueError(
    .protocolViolation, "The daemon's answer was not understood.",
    advice: "Install the command line and the daemon in the same version.")

  private static func isSilent(_ error: SegueError) -> SegueError {
    SegueError(
      .connectionUnavailable, "The Segue daemon does not answer: \(error.message)",
      advice:
        "If that does not change, end it, and the next command starts it again: pkill segued. Its log: journalctl --user -u "
        + "segued")
  }

  private static let notInstalled = SegueError(
    .connectionUnavailable, "The Segue daemon is not running, and the session bus does not know how to start it.",
    advice:
      "Install it where the session bus looks for services: `segue doctor` says what is missing. Or start segued by hand."
  )

  private static func notStarted(_ error: SegueError) -> SegueError {
    let reason = error.message.utf8.last == UInt8(ascii: ".") ? error.message : error.message + "."
    return SegueError(
      .connectionUnavailable, "The session bus could not start the Segue daemon: \(reason)",
      advice:
        "`segue doctor` says what is missing, its log more: journalctl --user -u segued. Or start segued by hand, and look "
        + "at what it prints."
    )
  }

  /// The bus has hung up, or does not answer.
  private static func refused(_ error: SegueError) -> SegueError {
    SegueError(
      .connectionUnavailable,
      "The session bus at \(Connection.sessionAddress ?? "no address") does not let this command in: \(error.message)",
      advice: "Run it as the user whose session that is, without sudo.")
  }
}
