import SegueBus
import SegueCore

// Carries out what RegistrationMachine decides: the session bus, the name, the daemon's door.

extension Application {
  func register(_ event: RegistrationMachine.Event) {
    for effect in registration.handle(event) {
      guard !isClosed else { return }
      switch effect {
      case .connectBus: connectBus()
      case .requestName: requestName()
      case .openDoor: openDoor()
      case .retry(let time):
        retryTimer?.cancel()
        retryTimer = loop.timer(after: time) { [self] in register(.timer) }
      case .report(let status):
        delegate.stateChanged?(self, status)
      }
    }
  }

  private func connectBus() {
    do {
      let connection = try Connection.openBus(address: busAddress, on: loop) { [self] error in
        if let error {
          bus?.close()
          bus = nil
          register(.busFailed(error))
        } else {
          register(.busConnected)
        }
      }
      bus = connection
      connection.setDisconnected { [self] in busWasLost(connection) }
      exportObjects(on: connection)
    } catch {
      // Later, so that the machine is not called from inside its own effect.
      loop.later { [self] in register(.busFailed(error)) }
    }
  }

  private func busWasLost(_ connection: Connection) {
    guard bus === connection else { return }
    daemonWatch?.cancel()
    daemonWatch = nil
    nameWatch?.cancel()
    nameWatch = nil
    daemonOwner = nil
    daemonOwnerIsKnown = false
    connection.close()
    bus = nil
    register(.busLost)
  }

  /// Objects are exported before the name is requested: who finds the name finds them.
  private func exportObjects(on connection: Connection) {
    connection.export(launchObject(), at: SegueAddress.applicationPath)
    if ownsAppID { connection.export(toolkitObject(), at: ObjectPath(for: appID)) }
  }

  private func requestName() {
    guard let bus else { return }
    if daemonWatch == nil {
      daemonWatch = bus.watchOwner(of: SegueAddress.daemonName) { [self] owner in
        daemonOwner = owner
        daemonOwnerIsKnown = true
        ownerIsKnown()
        checkDoorOwner()
        register(.daemonOwner(present: owner != nil))
      }
    }
    if ownsAppID { bus.requestName(appID.busName) { _ in } }
    bus.requestName(appID.segueName) { [self] outcome in
      switch outcome {
      case .owner:
        register(.nameOwned)
      case .taken:
        register(.nameTaken)
        waitForName()
      case .failed:
        // Nobody else has it; a bus that does not answer is begun anew. One that is gone says so itself.
        if self.bus === bus, bus.isOpen { busWasLost(bus) }
      }
    }
  }

  /// Another process has the name, for instance this application started twice: it is ours when that one ends.
  private func waitForName() {
    guard !isClosed, let bus else { return }
    nameWatch = bus.watchOwner(of: appID.segueName) { [self] owner in
      guard owner == nil else { return }
      nameWatch?.cancel()
      nameWatch = nil
      register(.nameFree)
    }
  }

  /// Another daemon has the name, or the same one under another: the door tells which.
  private func checkDoorOwner() {
    guard let asked = door, let owner = daemonOwner, owner != doorOwner else { return }
    asked.ping { [self] in
      guard door === asked, asked.isOpen, daemonOwner == owner else { return }
      doorOwner = owner
      deliveriesMayBegin()
    }
  }

  private func openDoor() {
    guard let bus else { return }
    let opening = DoorOpening(for: self) { [self] result in
      doorOpening = nil
      switch result {
      case .success(let opened):
        door = opened
        doorOwner = daemonOwner
        register(.doorReady)
        announceEverything()
        sendDeletions()
        sendFollow()
        doubtDocuments()
        deliveriesMayBegin()
      case .failure(let failure):
        register(.doorFailed(failure.error, retry: failure.retry))
      }
    }
    doorOpening = opening
    opening.begin(through: bus)
  }

  func doorWasLost(_ lost: Door) {
    guard door === lost else { return }
    door = nil
    sentOffer = nil
    forgetQuestions()
    for delivery in deliveries { delivery.doorLost() }
    offersWereLost()
    guard !isClosed else { return }
    register(.doorLost)
  }
}
