import SegueCore

/// A process of an application: its activity, and the continuations that are on their way into it. It carries out
/// effects as SegueRuntime does.
final class SimulatedProcess {
  final class Activity {
    let id: Identifier
    var machine = SaveMachine<Int>()
    var hangs = false

    init(id: Identifier) { self.id = id }
  }

  let device: SimulatedDevice
  let application: Int
  unowned let world: Simulation
  var appID: AppID { world.appID(application) }
  var name: String { "\(device.name)/\(world.scenario.applications[application])" }
  private(set) var isRunning = true
  private(set) var wasKilled = false
  private(set) var door: SimulatedDoor?
  private(set) var isReady = false
  private var daemonNumber = 0
  private var current: Activity?
  private var activities: [Identifier: Activity] = [:]
  private(set) var deliveries: [SimulatedDelivery] = []
  private var heard: Set<Identifier> = []
  /// Saves that wait for their answer.
  private var saveDoors: [Int: SimulatedDoor] = [:]
  private var saveCount = 0

  init(_ world: Simulation, _ device: SimulatedDevice, _ application: Int) {
    self.world = world
    self.device = device
    self.application = application
  }

  func start(isLaunched: Bool) {
    openDoorSoon(world.latency())
    if !isLaunched { makeCurrent() }
    guard !world.random.oneIn(2 * world.scenario.hangs) else { return }  // It is never ready.
    world.after(world.latency(), on: device, "\(name) is ready") { [self] in
      isReady = true
      mayBegin()
    }
  }

  // MARK: The door

  private func openDoorSoon(_ time: UInt64) {
    world.after(time, on: device, "\(name) opens the door") { [self] in
      guard isRunning, door == nil else { return }
      guard let daemon = device.daemon else {
        // The bus starts it, unless something is in the way.
        if world.random.oneIn(3) { device.startDaemon() }
        return openDoorSoon(Limits.reconnectTime)
      }
      let opened = SimulatedDoor(world, self, daemon)
      door = opened
      daemonNumber = max(daemonNumber, daemon.number)
      opened.toDaemon("registers") { daemon.registered(opened) }
      if let current { offer(current) }
      mayBegin()
    }
  }

  func doorLost() {
    guard isRunning else { return }
    door = nil
    for delivery in deliveries { delivery.doorLost() }
    openDoorSoon(100 + world.latency())
  }

  /// The bus says so before anything else of that daemon arrives.
  func daemonCame(_ number: Int) { daemonNumber = max(daemonNumber, number) }

  /// Whether tickets can be shown, and not to a daemon that is gone.
  var canBegin: Bool { isReady && door.map { $0.daemon.number >= daemonNumber } ?? false }

  private func mayBegin() {
    guard canBegin else { return }
    for delivery in deliveries { delivery.doorIsOpen() }
  }

  // MARK: The activity

  func makeCurrent() {
    let activity = Activity(id: world.newIdentifier())
    activity.hangs = world.random.oneIn(world.scenario.hangs)
    current = activity
    activities[activity.id] = activity
    offer(activity)
  }

  func hasMade(_ id: Identifier) -> Bool { activities[id] != nil }

  /// Whether it can hear that this activity was continued, on offer or not.
  func holds(_ id: Identifier) -> Bool { isRunning && hasMade(id) }

  private func offer(_ activity: Activity) {
    guard let door else { return }
    let offer = Offer(id: activity.id, revision: UInt64(application), type: .browsingWeb, appID: appID)
    door.toDaemon("current \(activity.id.low)") { door.daemon.setCurrent(offer, door) }
  }

  func resign() {
    guard let activity = current else { return }
    current = nil
    guard let door else { return }
    door.toDaemon("resign") { door.daemon.resign(activity.id, door) }
  }

  func change() {
    guard let current else { return }
    _ = current.machine.handle(.needsSave(true))
  }

  func save(_ id: Identifier, _ door: SimulatedDoor) {
    guard let activity = activities[id], !activity.hangs else { return }
    saveCount += 1
    saveDoors[saveCount] = door
    save(activity, .requested(saveCount))
  }

  private func save(_ activity: Activity, _ event: SaveMachine<Int>.Event) {
    for effect in activity.machine.handle(event) {
      switch effect {
      case .runRound: save(activity, .roundEnded)
      case .answer(let numbers):
        let snapshot = Snapshot(id: activity.id, revision: 1, type: .browsingWeb, userInfo: [0xa0])
        for number in numbers {
          guard let door = saveDoors.removeValue(forKey: number) else { continue }
          door.toDaemon("saved") { door.daemon.save(.saved(snapshot, activity: activity.id)) }
        }
      }
    }
  }

  /// False where it has no such activity.
  func wasContinued(_ notice: ContinuationJournal.Notice) -> Bool {
    guard hasMade(notice.activity) else { return false }
    if heard.insert(notice.continuation).inserted { world.accounts[notice.continuation]?.heard += 1 }
    return true
  }

  // MARK: Continuations

  func launched(_ launch: SimulatedLaunch) {
    daemonNumber = max(daemonNumber, launch.daemon.number)
    if let known = deliveries.first(where: { $0.continuation == launch.continuation && !$0.isForgotten }) {
      return known.relaunched(launch)
    }
    guard !launch.resumes else {
      return launch.answer(SegueError(.notFound, "not known here"), ownerGone: false)
    }
    let delivery = SimulatedDelivery(world, self, launch)
    deliveries.append(delivery)
    if canBegin { delivery.doorIsOpen() }
  }

  func began(_ ticket: Identifier, _ error: SegueError?) {
    deliveries.first { $0.launch.ticket == ticket }?.began(error)
  }

  func claimed(_ ticket: Identifier, _ error: SegueError?) {
    deliveries.first { $0.launch.ticket == ticket }?.claimed(error)
  }

  // MARK: The end

  /// segue_application_close, then the process ends.
  func close() {
    guard isRunning else { return }
    for delivery in deliveries where !delivery.machine.isEnded { delivery.handle(.closed) }
    end()
  }

  func exit() {
    guard isRunning else { return }
    wasKilled = true
    end()
  }

  private func end() {
    isRunning = false
    world.note("\(name) has ended")
    if device.owners[application] === self { device.owners[application] = nil }
    door?.close()
    for delivery in deliveries {
      // The bus answers for it what it owes.
      delivery.launch.answer(SegueError(.applicationExited, "no reply"), ownerGone: true)
      delivery.stop()
    }
  }

  func judge() {
    for delivery in deliveries { delivery.judge() }
    let announced = deliveries.filter { $0.willContinue > 0 }.map { $0.continuation }
    if Set(announced).count != announced.count { world.problem("V1: \(name) was told twice of one continuation") }
  }
}
