import SegueCore

/// One schedule of a scenario in virtual time: devices, their daemons and applications, and the links between them, with
/// the state machines that the real ones have. It carries out effects as SegueDaemon and SegueRuntime do, and notes
/// every breach of the rules.
public final class Simulation {
  struct Event {
    let what: String
    /// Where it happens, unless that sleeps; nil: somewhere in between.
    let device: SimulatedDevice?
    let body: () -> Void
  }

  /// What became of one continuation, over all daemons and applications that had to do with it.
  final class Account {
    let offer: Identifier
    /// Where it is continued.
    let device: SimulatedDevice
    var outcomes: [SegueError?] = []
    var continued = 0
    var handled = 0
    var heard = 0
    /// The process that the activity is of.
    let origin: SimulatedProcess?

    init(offer: Identifier, device: SimulatedDevice, origin: SimulatedProcess?) {
      self.offer = offer
      self.device = device
      self.origin = origin
    }
  }

  public let seed: UInt64
  public private(set) var problems: [String] = []
  public private(set) var trace: [String] = []
  /// How continuations ended; nil: well.
  public private(set) var outcomes: [SegueError.Code?: Int] = [:]
  /// How many events happened.
  public private(set) var steps = 0

  let scenario: Scenario
  let isTraced: Bool
  var random: SeededGenerator
  private var clock = VirtualClock<Event>()
  private(set) var devices: [SimulatedDevice] = []
  private(set) var processes: [SimulatedProcess] = []
  private(set) var links: [SimulatedLink] = []
  var accounts: [Identifier: Account] = [:]
  private var count: UInt64 = 0
  private let slowness: UInt64
  private let appIDs: [AppID]

  /// The same seed gives the same schedule, step by step.
  public init(_ scenario: Scenario, seed: UInt64, isTraced: Bool = false) {
    self.scenario = scenario
    self.seed = seed
    self.isTraced = isTraced
    random = SeededGenerator(seed: seed)
    // Most are quick; in some everything crawls, so that every time-out has its turn.
    let slow: [UInt64] = [1, 1, 1, 20, 150]
    appIDs = scenario.applications.indices.compactMap { AppID("org.segue.simulated.A\($0)") }
    slowness = scenario.latency &* slow[Int(random.below(5))]
    devices = scenario.devices.indices.map { SimulatedDevice(self, $0) }
    for one in devices.indices {
      for other in devices.indices where other > one { links.append(SimulatedLink(self, devices[one], devices[other])) }
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

  func latency() -> UInt64 { random.below(slowness) }

  func newIdentifier() -> Identifier {
    count += 1
    return Identifier(high: 1, low: count)
  }

  @discardableResult
  func after(
    _ time: UInt64, on device: SimulatedDevice? = nil, _ what: @autoclosure () -> String, _ body: @escaping () -> Void
  ) -> Int {
    clock.schedule(Event(what: isTraced ? what() : "", device: device, body: body), at: clock.now + time)
  }

  func cancel(_ number: Int) {
    for device in devices where device.cancelWhenAwake(number) { return }
    clock.cancel(number)
  }

  func appID(_ application: Int) -> AppID { appIDs[application] }

  func start(_ process: SimulatedProcess) { processes.append(process) }

  func link(_ one: SimulatedDevice, _ other: SimulatedDevice) -> SimulatedLink? {
    links.first { $0.ends.contains { $0 === one } && $0.ends.contains { $0 === other } }
  }

  /// Runs the whole schedule, and judges it.
  public func run() {
    for device in devices {
      device.startDaemon()
      for application in scenario.applications.indices where device.index == 0 || random.oneIn(2) {
        device.startProcess(application, isLaunched: false)
      }
    }
    for step in scenario.steps { after(step.time, "step") { self.act(step.action, step.devices, step.application) } }
    var actions: [Scenario.Action] = []
    for action in Scenario.Action.allCases {
      let most = scenario.counts[action] ?? 0
      for _ in 0..<(most == 0 ? 0 : random.below(most + 1)) { actions.append(action) }
    }
    for action in actions { after(random.below(scenario.duration), "random") { self.act(action) } }
    // In the end everything heals, so that what has to happen can.
    let end = max(scenario.duration, scenario.steps.map { $0.time }.max() ?? 0) + scenario.outage
    after(end, "everything heals") {
      for device in self.devices { device.wake() }
      for device in self.devices where device.daemon == nil { device.startDaemon() }
      for link in self.links { link.setNetwork(true) }
    }
    while let (number, event) = clock.next() {
      if let device = event.device, device.isAsleep {
        device.whenAwake(number, event)
        continue
      }
      if isTraced, event.what != "" { trace.append("\(clock.now.milliseconds): \(event.what)") }
      steps += 1
      guard steps < 20_000 else { return problem("it goes on for ever") }
      event.body()
    }
    judge()
  }

  // MARK: Actions

  private func act(_ action: Scenario.Action) {
    let one = Int(random.below(UInt64(devices.count)))
    let other = (one + 1 + Int(random.below(UInt64(devices.count - 1)))) % devices.count
    act(action, [one, other], Int(random.below(UInt64(scenario.applications.count))))
    switch action {
    case .cut: after(random.below(scenario.outage), "heal") { self.act(.heal, [one, other], 0) }
    case .sleep: after(random.below(scenario.outage), "wake") { self.act(.wake, [one, other], 0) }
    case .killDaemon: after(random.below(scenario.outage), "start") { self.devices[one].startDaemon() }
    default: break
    }
  }

  private func act(_ action: Scenario.Action, _ named: [Int], _ application: Int) {
    let device = devices[named[0]]
    // Nobody sits at it, and nothing runs there.
    if device.isAsleep, ![.cut, .heal, .wake].contains(action) { return }
    let process = device.owners[application]
    note("\(action.rawValue) \(named.map { scenario.devices[$0] }) \(scenario.applications[application])")
    switch action {
    case .choose: device.daemon?.choose(application, from: devices[named[1]], for: application)
    case .divert:
      for other in scenario.applications.indices where other != application {
        device.daemon?.choose(other, from: devices[named[1]], for: application)
      }
    case .cut: link(device, devices[named[1]])?.setNetwork(false)
    case .heal: link(device, devices[named[1]])?.setNetwork(true)
    case .current:
      if let process { process.makeCurrent() } else { device.startProcess(application, isLaunched: false) }
    case .change: process?.change()
    case .resign: process?.resign()
    case .crash: process?.exit()
    case .close: process?.close()
    case .killDaemon: device.killDaemon()
    case .startDaemon: device.startDaemon()
    case .sleep: device.sleep()
    case .wake: device.wake()
    case .refetch: device.daemon?.fetchOnceMore()
    }
  }

  // MARK: The verdict

  private func judge() {
    for (id, account) in accounts.sorted(by: { $0.key.low < $1.key.low }) {
      let what = "continuation \(id.low)"
      if account.outcomes.count != 1 { problem("X9: \(what) ended \(account.outcomes.count) times") }
      for error in account.outcomes { outcomes[error?.code, default: 0] += 1 }
      if account.continued > 1 { problem("X9: \(what) was restored \(account.continued) times") }
      if account.heard > 1 { problem("V11: the origin was told \(account.heard) times of \(what)") }
      let isWell = account.outcomes.contains { $0 == nil }
      if account.heard > 0, !isWell { problem("V11: the origin was told of \(what), which failed") }
      if isWell, account.handled == 0 { problem("V11: \(what) ended well and was not finished") }
      if isWell, account.heard == 0, account.origin?.holds(account.offer) == true {
        problem("V11: the origin was not told of \(what)")
      }
      if isWell, let origin = account.origin,
        account.device.journal.revisionTaken(of: account.offer, of: origin.device.id) == nil
      {
        problem("V15: what \(what) has continued is shown again")
      }
    }
    for process in processes { process.judge() }
    for device in devices { device.daemon?.judge() }
  }
}

/// The network between two devices, and the link over it. A message that is on its way when the link is lost is lost.
final class SimulatedLink {
  let ends: [SimulatedDevice]
  private unowned let world: Simulation
  private var hasNetwork = true
  private var generation = 0
  private var isUp = false
  /// When the last message arrives at each end, and the last news of the link.
  private var arrival: [Instant] = [0, 0]

  init(_ world: Simulation, _ one: SimulatedDevice, _ other: SimulatedDevice) {
    self.world = world
    ends = [one, other]
  }

  func setNetwork(_ network: Bool) {
    hasNetwork = network
    check()
  }

  /// A daemon has come or gone, or the network.
  func check() {
    if isUp { lose() }
    guard hasNetwork, ends.allSatisfy({ $0.daemon != nil && !$0.isAsleep }) else { return }
    isUp = true
    generation += 1
    for end in 0...1 {
      let (daemon, peer) = (ends[end].daemon, ends[1 - end])
      deliver(at: end, delay: world.latency() + world.random.below(Limits.dialTime), "up") { daemon?.linkUp(peer) }
    }
  }

  private func lose() {
    isUp = false
    generation += 1
    for end in 0...1 {
      let (daemon, peer) = (ends[end].daemon, ends[1 - end])
      // A lost network, or a peer that sleeps, is noticed by a ping without a pong, a closed connection at once.
      let delay =
        hasNetwork && !ends.contains { $0.isAsleep } ? 0 : world.random.below(Limits.pingTime + Limits.pongTime)
      deliver(at: end, delay: delay, "down") { daemon?.linkDown(peer) }
    }
  }

  private func deliver(at end: Int, delay: UInt64, _ what: String, _ body: @escaping () -> Void) {
    arrival[end] = max(arrival[end], world.now + delay)
    world.after(world.now.time(until: arrival[end]), on: ends[end], "\(ends[end].name): the link is \(what)", body)
  }

  func send(
    from device: SimulatedDevice, _ what: @autoclosure () -> String, _ body: @escaping (SimulatedDaemon) -> Void
  ) {
    guard isUp else { return }
    let end = ends[0] === device ? 1 : 0
    let sent = generation
    arrival[end] = max(arrival[end], world.now + world.latency())
    let receiver = ends[end]
    world.after(world.now.time(until: arrival[end]), on: receiver, "\(receiver.name): \(what())") { [self] in
      guard sent == generation, let daemon = receiver.daemon, daemon.isOnline(ends[1 - end]) else { return }
      body(daemon)
    }
  }
}
