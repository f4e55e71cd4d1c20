import SegueBus
import SegueClient
import SegueCore

/// The application's place on the session bus and at the daemon's door: a part of the application, which carries out
/// the decisions of RegistrationMachine.
final class Registration {
  private unowned(unsafe) let application: Application
  private var machine = RegistrationMachine()
  private var bus: Connection?
  private var retryTimer: LoopTimer?
  private var daemonWatch: NameWatch?
  /// The watch on our name while another process owns it.
  private var nameWatch: NameWatch?
  private var daemonOwner: BusName?
  /// The opening of the door, as long as it is not open.
  private var opening: DoorOpening?
  private(set) var door: Door?
  /// The daemon to which the door leads.
  private var doorOwner: BusName?
  /// Whether the log says that the application is not registered.
  private var isMissed = false
  private var wasRegistered = false

  init(_ application: Application) { self.application = application }

  var status: RegistrationMachine.Status { machine.status }

  func handle(_ event: RegistrationMachine.Event) {
    for effect in machine.handle(event) {
      guard !application.isClosed else { return }
      switch effect {
      case .connectBus: connectBus()
      case .requestName: requestName()
      case .openDoor: openDoor()
      case .leaveDoor: leaveDoor()
      case .retry(let time):
        retryTimer?.cancel()
        retryTimer = application.loop.timer(after: time) { [self] in handle(.timer) }
      case .report(let status):
        tellDeveloper(status)
        if case .lost(let error) = status { application.states.lost(error) }
        application.delegate.stateChanged?(application, status)
      }
    }
  }

  private func tellDeveloper(_ status: RegistrationMachine.Status) {
    switch status {
    case .registering: return
    case .registered:
      if isMissed { application.log("it is registered with Segue now") }
      (isMissed, wasRegistered) = (false, true)
      return
    case .nameTaken: tellMissed("another process has the name \(application.appID.segueName.string), and is launched")
    case .lost(let error): tellMissed(error.line)
    }
  }

  static let missed = "it is not registered with Segue"

  private func tellMissed(_ why: String) {
    isMissed = true
    let line = "\(Self.missed): \(why)"
    // A developer who sees no log need not know that a daemon goes and comes back.
    if wasRegistered { application.log(line) } else { application.warn(line, .notRegistered) }
  }

  private func connectBus() {
    do {
      let connection = try Connection.openBus(address: application.busAddress, on: application.loop) { [self] error in
        if let error {
          bus?.close()
          bus = nil
          handle(.busFailed(error))
        } else {
          handle(.busConnected)
        }
      }
      bus = connection
      connection.setDisconnected { [self] in busWasLost(connection) }
      exportObjects(on: connection)
    } catch {
      // The event comes later, so that the machine is not called from inside its own effect.
      application.loop.later { [self] in handle(.busFailed(error)) }
    }
  }

  private func busWasLost(_ connection: Connection) {
    guard bus === connection else { return }
    daemonWatch?.cancel()
    daemonWatch = nil
    nameWatch?.cancel()
    nameWatch = nil
    daemonOwner = nil
    application.arrivals.handle(.busLost)
    connection.close()
    bus = nil
    handle(.busLost)
  }

  /// Exports the objects before the name is requested, so that a client that finds the name finds them.
  private func exportObjects(on connection: Connection) {
    connection.export(application.arrivals.launchObject(), at: SegueAddress.applicationPath)
    if application.ownsAppID { connection.export(application.toolkitObject(), at: ObjectPath(for: application.appID)) }
  }

  private func requestName() {
    guard let bus else { return }
    if daemonWatch == nil {
      daemonWatch = bus.watchOwner(of: SegueAddress.daemonName) { [self] owner in
        daemonOwner = owner
        application.arrivals.handle(.daemonOwner(owner))
        checkDoorOwner()
        handle(.daemonOwner(present: owner != nil))
      }
    }
    if application.ownsAppID { bus.requestName(application.appID.busName) { _ in } }
    bus.requestName(application.appID.segueName) { [self] outcome in
      switch outcome {
      case .owner:
        handle(.nameOwned)
      case .taken:
        handle(.nameTaken)
        waitForName()
      case .refused(let error): handle(.nameRefused(error))
      case .failed:
        // No other process owns the name: the connection to a bus that does not answer is made anew. The end of a
        // connection that is lost is reported elsewhere.
        if self.bus === bus, bus.isOpen { busWasLost(bus) }
      }
    }
  }

  /// Waits for a name that another process owns, for instance this application started twice: it is ours when that one
  /// ends.
  private func waitForName() {
    guard !application.isClosed, let bus else { return }
    nameWatch = bus.watchOwner(of: application.appID.segueName) { [self] owner in
      guard owner == nil else { return }
      nameWatch?.cancel()
      nameWatch = nil
      handle(.nameFree)
    }
  }

  /// Checks the door when its daemon's name has another owner: another daemon, or the same one with a new connection.
  private func checkDoorOwner() {
    guard let asked = door, let owner = daemonOwner, owner != doorOwner else { return }
    asked.ping { [self] in
      guard door === asked, asked.isOpen, daemonOwner == owner else { return }
      doorOwner = owner
      application.arrivals.handle(.doorOpened(owner))
    }
  }

  private func openDoor() {
    guard let bus else { return }
    let opening = DoorOpening(for: application) { [self] result in
      self.opening = nil
      switch result {
      case .success(let opened):
        door = opened
        doorOwner = daemonOwner
        handle(.doorReady)
        application.doorOpened(to: doorOwner)
      case .failure(let failure):
        handle(.doorFailed(failure.error, retry: failure.retry))
      }
    }
    self.opening = opening
    opening.begin(through: bus)
  }

  private func leaveDoor() {
    opening?.cancel()
    opening = nil
    guard let left = door else { return }
    door = nil
    left.close()
    application.doorLost()
  }

  /// Called when a door's connection has ended.
  func lost(_ lost: Door) {
    guard door === lost else { return }
    door = nil
    application.doorLost()
    if !application.isClosed { handle(.doorLost) }
  }

  // MARK: The end

  /// Closes both connections.
  func close() {
    retryTimer?.cancel()
    retryTimer = nil
    daemonWatch?.cancel()
    daemonWatch = nil
    nameWatch?.cancel()
    nameWatch = nil
    opening?.cancel()
    opening = nil
    door?.close()
    door = nil
    bus?.close()
    bus = nil
  }
}
