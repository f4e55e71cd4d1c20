import SegueCore
import SegueEngine

/// One schedule in virtual time: devices, each with the engine that the daemon has, their applications, disks and
/// screens, and the network between them. It carries effects out as the daemon's services do, and notes every breach of
/// the rules.
public final class Simulation {
  struct Event {
    let what: String
    /// The device on which the event happens, unless that device sleeps; nil: somewhere between devices.
    let device: VirtualDevice?
    let body: () -> Void
  }

  public let schedule: Scenario
  public internal(set) var problems: [String] = []
  public private(set) var trace: [String] = []
  /// How continuations ended; nil stands for success.
  public internal(set) var outcomes: [SegueError.Code?: Int] = [:]
  /// How requests for files ended.
  public internal(set) var fileOutcomes: [FileOutcome: Int] = [:]
  /// How many events have happened.
  public private(set) var steps = 0

  let isTraced: Bool
  /// The random numbers for everything that belongs to no device.
  var random: SeededGenerator
  private var clock = VirtualClock<Event>()
  private(set) var devices: [VirtualDevice] = []
  private(set) var processes: [VirtualProcess] = []
  /// All daemons that ever ran: messages on their way to a killed daemon still refer to it.
  private var daemons: [VirtualDaemon] = []
  private(set) var links: [VirtualLink] = []
  /// All activities that ever existed.
  var activities: [Identifier: VirtualActivity] = [:]
  /// The last activity of each application on each device.
  var latest: [[VirtualActivity?]]
  var accounts: [Identifier: Account] = [:]
  /// All pairs of streams that ever existed.
  var pairs: [VirtualPair] = []
  /// All requests for files that were ever made.
  var files: [VirtualFile] = []
  /// The activity states that devices were given, each with the device and the continuation.
  var gifts: Set<Gift> = []
  /// Pairs of devices of which one has removed the other at some time.
  var unpaired: Set<[Int]> = []
  private var count: UInt64 = 0
  private let slowness: UInt64
  let catalog: VirtualCatalog

  /// The same scenario and seed give the same schedule, step by step. A schedule has its own seed.
  public init(_ scenario: Scenario, seed: UInt64 = 0, isTraced: Bool = false) {
    schedule = scenario.schedule(seed: seed)
    self.isTraced = isTraced
    random = SeededGenerator(seed: ~(schedule.seed ?? seed))
    catalog = VirtualCatalog(scenario.applications)
    // Most schedules are quick; in some every operation crawls, so that every timeout is reached.
    let slow: [UInt64] = [1, 1, 1, 20, 150]
    slowness = scenario.latency &* slow[Int(random.below(5))]
    latest = scenario.devices.map { _ in scenario.applications.map { _ in nil } }
    devices = scenario.devices.indices.map { VirtualDevice(self, $0) }
    for one in devices.indices {
      for other in devices.indices where other > one { links.append(VirtualLink(self, devices[one], devices[other])) }
    }
  }

  var now: Instant { clock.now }

  func note(_ text: @autoclosure () -> String) {
    if isTraced { trace.append("\(clock.now.milliseconds): \(text())") }
  }

  func problem(_ text: String) {
    problems.append(text)
    note("PROBLEM \(text)")
  }

  /// How long an operation takes, drawn from the random numbers of the one that does it.
  func latency(_ random: inout SeededGenerator) -> UInt64 { random.below(slowness) }

  /// A separate generator: the random numbers that one device or process draws do not change those of the others, so
  /// that a schedule can be shrunk.
  func generator(_ numbers: UInt64...) -> SeededGenerator {
    var seed = schedule.seed ?? 0
    for number in numbers {
      var generator = SeededGenerator(seed: seed ^ (number &* 0x9E37_79B9))
      seed = generator.next()
    }
    return SeededGenerator(seed: seed)
  }

  func newNumber() -> UInt64 {
    count += 1
    return count
  }

  func newIdentifier() -> Identifier { Identifier(high: 1, low: newNumber()) }

  @discardableResult
  func after(
    _ time: UInt64, on device: VirtualDevice? = nil, _ what: @autoclosure () -> String, _ body: @escaping () -> Void
  ) -> Int {
    clock.schedule(Event(what: isTraced ? what() : "", device: device, body: body), at: clock.now + time)
  }

  func cancel(_ number: Int) {
    for device in devices where device.cancelWhenAwake(number) { return }
    clock.cancel(number)
  }

  func start(_ process: VirtualProcess) { processes.append(process) }

  func start(_ daemon: VirtualDaemon) { daemons.append(daemon) }

  func device(_ id: DeviceID?) -> VirtualDevice? { devices.first { $0.id == id } }

  func link(_ one: VirtualDevice, _ other: VirtualDevice) -> VirtualLink? {
    links.first { $0.ends.contains { $0 === one } && $0.ends.contains { $0 === other } }
  }

  // MARK: The run

  /// How long after the end all waiting is over, except for kept copies: longer than any wait, including that of files
  /// for each other.
  private static let rest: UInt64 = 1_000_000
  /// A daemon that is killed midway still carries out fewer effects than this: as many as a turn usually has.
  private static let mostEffectsLeft: UInt64 = 8

  /// Runs the whole schedule, and judges it.
  public func run() {
    for device in devices { device.startDaemon() }
    for step in schedule.steps { after(step.time, "step") { self.act(step.action, step.devices, step.application) } }
    // At the end everything heals, so that all that has to happen can happen.
    let end = max(schedule.duration, schedule.steps.map { $0.time }.max() ?? 0) + schedule.outage
    after(end, "everything heals") {
      for device in self.devices { device.heal() }
      for link in self.links { link.setNetwork(true) }
    }
    run(until: Instant(milliseconds: end) + Self.rest)
    judgeAtRest()
    // After that, the only work left is to remove copies as they expire.
    run(until: .distantFuture)
    judgeAtTheEnd()
  }

  private func run(until end: Instant) {
    while let next = clock.nextTime(), next <= end, let (number, event) = clock.next() {
      if let device = event.device, device.isAsleep {
        device.whenAwake(number, event)
        continue
      }
      if isTraced, event.what != "" { trace.append("\(clock.now.milliseconds): \(event.what)") }
      steps += 1
      guard steps < 30_000 else { return problem("it goes on for ever") }
      event.body()
    }
  }

  // MARK: Actions

  private func act(_ action: Scenario.Action, _ named: [Int], _ application: Int) {
    let device = devices[named[0]]
    // A device that sleeps has no user at it and runs no application.
    if device.isAsleep, ![.cut, .heal, .wake].contains(action) { return }
    let process = device.owners[application]
    note("\(action.rawValue) \(named.map { schedule.devices[$0] }) \(schedule.applications[application])")
    switch action {
    case .choose: device.daemon?.choose(application, of: devices[named[1]], for: application)
    case .divert:
      for other in schedule.applications.indices where other != application {
        device.daemon?.choose(other, of: devices[named[1]], for: application)
      }
    case .lie: device.daemon?.lie(application, to: devices[named[1]])
    case .pick: process?.pick()
    case .stream: process?.openStream()
    case .bring: process?.bringFiles()
    case .cut: link(device, devices[named[1]])?.setNetwork(false)
    case .heal: link(device, devices[named[1]])?.setNetwork(true)
    case .current:
      if let process { process.makeCurrent() } else { device.startProcess(application, isLaunched: false) }
    case .change: process?.change()
    case .resign: process?.resign()
    case .invalidate: process?.invalidate()
    case .expire: process?.expire()
    case .delete: process?.deleteSaved()
    case .crash: process?.exit()
    case .close: process?.close()
    case .killDaemon: device.killDaemon()
    case .killMidway: device.daemon?.effectsLeft = Int(device.random.below(Self.mostEffectsLeft))
    case .startDaemon: device.startDaemon()
    case .sleep: device.sleep()
    case .wake: device.wake()
    case .refetch: device.daemon?.fetchOnceMore()
    case .unpair: device.unpair(devices[named[1]])
    case .pair: device.pair(devices[named[1]])
    case .fillDisk: device.store.isFull = true
    case .freeDisk: device.store.isFull = false
    case .arrive: device.daemon?.filesArrive()
    case .setClock: device.setClock()
    }
  }
}
