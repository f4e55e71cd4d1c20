import SegueCore

/// A client's way to the daemon's door: OpenDoor on the session bus, which starts the daemon where it does not run,
/// then the connection and Hello. It ends once: answered, or cancelled. Confined to the loop's thread.
public final class DoorConnector {
  /// The step that failed.
  public enum Step: Sendable {
    case openDoor, connect, hello
  }

  public struct Failure: Error {
    public let step: Step
    public let error: SegueError
    /// The error's name on the bus, if the answer was an error.
    public let errorName: String?

    /// Whether no answer came in time from a side that is still there.
    public let isTimeout: Bool

    /// Whether the bus knows no daemon, and none that it could start: only an owner of its name can help.
    public var isUnknown: Bool { step == .openDoor && errorName == Sandbox.hidden }

    /// Whether the daemon may not be asked from here.
    public var isRefused: Bool { step == .openDoor && errorName == Sandbox.denied }
  }

  private let connected: (Connection) -> Void
  private let greeting: (Connection) -> Void
  private var done: ((Result<Connection, Failure>) -> Void)?
  private var pending: PendingReply?
  /// The connection that has not been greeted yet.
  private var door: Connection?

  /// `connected` prepares a connection before any message is sent on it. `greeting` may send more behind Hello, without
  /// its answer: the daemon answers in order, and refuses what follows a Hello that it refuses. `done` gets the
  /// connection when the daemon has greeted back.
  public init(
    connected: @escaping (Connection) -> Void = { _ in }, greeting: @escaping (Connection) -> Void = { _ in },
    _ done: @escaping (Result<Connection, Failure>) -> Void
  ) {
    self.connected = connected
    self.greeting = greeting
    self.done = done
  }

  /// Starts; `timeout` holds for each answer, in milliseconds.
  public func begin(through bus: Connection, startsDaemon: Bool = true, timeout: UInt64 = Limits.callTime) {
    let call = Message.call(
      destination: SegueAddress.daemonName, path: SegueAddress.daemonPath, interface: SegueAddress.daemonInterface,
      member: MemberName(constant: "OpenDoor"))
    call.isNoAutoStart = !startsDaemon
    ask(call, on: bus, .openDoor, timeout) { [self] reply in
      let token: String
      let door: Connection
      do throws(SegueError) {
        let arguments = try reply.arguments()
        guard arguments.count == 2, let socket = arguments[0].asDescriptor, let text = arguments[1].asString else {
          throw SegueError(.protocolViolation, "The daemon did not open its door.")
        }
        token = text
        door = try DoorProtocol.connect(to: socket, on: bus.loop)
      } catch {
        return fail(.connect, error)
      }
      self.door = door
      connected(door)
      greet(door, token, timeout)
    }
  }

  /// Ends the attempt without calling `done`.
  public func cancel() {
    done = nil
    pending?.cancel()
    pending = nil
    door?.close()
    door = nil
  }

  private func greet(_ door: Connection, _ token: String, _ timeout: UInt64) {
    let call = Message.call(
      destination: nil, path: SegueAddress.doorPath, interface: SegueAddress.doorInterface,
      member: MemberName(constant: "Hello"))
    do throws(SegueError) {
      try call.append([
        .uint32(DoorProtocol.lowestVersion), .uint32(DoorProtocol.highestVersion), .string(token),
        .dictionary(["library": .string(Version.string)]),
      ])
    } catch {
      return fail(.hello, error)
    }
    ask(call, on: door, .hello, timeout) { [self] _ in
      let done = done
      self.done = nil
      self.door = nil
      done?(.success(door))
    }
    if self.door === door { greeting(door) }
  }

  private func ask(
    _ call: Message, on connection: Connection, _ step: Step, _ timeout: UInt64, _ then: @escaping (Message) -> Void
  ) {
    pending = connection.call(call, timeout: timeout) { [self] result in
      let name = pending?.errorName
      pending = nil
      switch result {
      case .success(let reply): then(reply)
      case .failure(let error): fail(step, error, name, isTimeout: name == nil && connection.isOpen)
      }
    }
  }

  private func fail(_ step: Step, _ error: SegueError, _ name: String? = nil, isTimeout: Bool = false) {
    let done = done
    cancel()
    done?(.failure(Failure(step: step, error: error, errorName: name, isTimeout: isTimeout)))
  }
}
