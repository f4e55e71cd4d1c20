import SegueCore

/// A device: its session bus, and what of its daemon is on the disk.
final class SimulatedDevice {
  let index: Int
  let name: String
  let id: DeviceID
  private unowned let world: Simulation
  var journal = ContinuationJournal()
  private(set) var daemon: SimulatedDaemon?
  private var daemons = 0
  /// For each application the process that owns its name.
  var owners: [SimulatedProcess?]

  init(_ world: Simulation, _ index: Int) {
    self.world = world
    self.index = index
    name = world.scenario.devices[index]
    id = DeviceID(
      hash: [UInt8](repeating: UInt8(truncatingIfNeeded: index + 1), count: DeviceID.byteCount),
      check: [UInt8](repeating: 0, count: DeviceID.checkDigits))
    owners = world.scenario.applications.map { _ in nil }
  }

  // MARK: Sleep

  private(set) var isAsleep = false
  /// What came due while it sleeps: timers of the boot clock, and messages within the machine.
  private var due: [(number: Int, event: Simulation.Event)] = []

  /// The machine stands still, while the clock that everything expires by goes on.
  func sleep() {
    guard !isAsleep else { return }
    isAsleep = true
    world.note("\(name) sleeps")
    checkLinks()
  }

  func wake() {
    guard isAsleep else { return }
    isAsleep = false
    world.note("\(name) wakes")
    while !due.isEmpty {
      let (_, event) = due.removeFirst()
      world.note(event.what)
      event.body()
    }
    checkLinks()
  }

  func whenAwake(_ number: Int, _ event: Simulation.Event) { due.append((number, event)) }

  /// False: it is not among what waits for the machine to wake.
  func cancelWhenAwake(_ number: Int) -> Bool {
    guard let index = due.firstIndex(where: { $0.number == number }) else { return false }
    due.remove(at: index)
    return true
  }

  private func checkLinks() {
    for link in world.links where link.ends.contains(where: { $0 === self }) { link.check() }
  }

  // MARK: The daemon

  func startDaemon() {
    guard daemon == nil else { return }
    daemons += 1
    let started = SimulatedDaemon(world, self, number: daemons)
    daemon = started
    world.note("\(name): daemon \(daemons) starts")
    checkLinks()
    for process in world.processes where process.device === self { process.daemonCame(started.number) }
    world.after(world.latency(), on: self, "\(name): the daemon has its names") { started.resume() }
  }

  func killDaemon() {
    guard let killed = daemon else { return }
    world.note("\(name): daemon \(killed.number) dies")
    daemon = nil
    killed.end()
    for process in world.processes where process.device === self && process.door?.daemon === killed {
      let door = process.door
      world.after(world.latency(), on: self, "\(name): a door is lost") {
        if process.door === door { process.doorLost() }
      }
    }
    checkLinks()
  }

  @discardableResult func startProcess(_ application: Int, isLaunched: Bool) -> SimulatedProcess? {
    guard owners[application] == nil else { return nil }
    let process = SimulatedProcess(world, self, application)
    world.start(process)
    owners[application] = process
    process.start(isLaunched: isLaunched)
    return process
  }

  /// The bus brings a launch message, and starts the application where it may.
  func deliver(_ launch: SimulatedLaunch, to application: Int) {
    world.after(world.latency(), on: self, "\(name): launch message \(launch.ticket.low)") { [self] in
      if let owner = owners[application] { return owner.launched(launch) }
      guard !launch.resumes else {
        return launch.answer(SegueError(.launchFailed, "Nobody owns the name."), ownerGone: false)
      }
      guard !world.random.oneIn(world.scenario.fails) else {
        return launch.answer(SegueError(.launchFailed, "No service file."), ownerGone: false)
      }
      startProcess(application, isLaunched: true)?.launched(launch)
    }
  }
}

/// A launch message, to be answered once.
final class SimulatedLaunch {
  let ticket: Identifier
  let continuation: Identifier
  let resumes: Bool
  let daemon: SimulatedDaemon
  private unowned let world: Simulation
  private(set) var isAnswered = false

  init(_ world: Simulation, _ daemon: SimulatedDaemon, ticket: Identifier, continuation: Identifier, resumes: Bool) {
    self.world = world
    self.daemon = daemon
    self.ticket = ticket
    self.continuation = continuation
    self.resumes = resumes
  }

  func answer(_ error: SegueError?, ownerGone: Bool) {
    guard !isAnswered else { return }
    isAnswered = true
    if error == nil, !daemon.accepted.contains(ticket) {
      world.problem("V18: a launch was answered before it was begun")
    }
    world.after(world.latency(), on: daemon.device, "launch \(ticket.low) was answered: \(error?.message ?? "well")") {
      [self] in
      guard daemon.isRunning, let error else { return }
      daemon.launchFailed(self, error, ownerGone: ownerGone)
    }
  }
}

/// A connection between a process and a daemon; each direction keeps its order.
final class SimulatedDoor {
  let process: SimulatedProcess
  let daemon: SimulatedDaemon
  private unowned let world: Simulation
  private var arrival: [Instant] = [0, 0]
  private(set) var isClosed = false

  init(_ world: Simulation, _ process: SimulatedProcess, _ daemon: SimulatedDaemon) {
    self.world = world
    self.process = process
    self.daemon = daemon
  }

  func toDaemon(_ what: @autoclosure () -> String, _ body: @escaping () -> Void) {
    arrival[0] = max(arrival[0], world.now + world.latency())
    world.after(world.now.time(until: arrival[0]), on: daemon.device, "\(process.name) → daemon: \(what())") { [self] in
      if daemon.isRunning, !isClosed { body() }
    }
  }

  func toProcess(_ what: @autoclosure () -> String, _ body: @escaping () -> Void) {
    arrival[1] = max(arrival[1], world.now + world.latency())
    world.after(world.now.time(until: arrival[1]), on: daemon.device, "daemon → \(process.name): \(what())") { [self] in
      if process.isRunning, process.door === self { body() }
    }
  }

  /// The process's end; what was sent before still arrives.
  func close() {
    toDaemon("the door closes") { [self] in
      isClosed = true
      daemon.leave(self)
    }
  }
}
