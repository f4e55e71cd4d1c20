import SegueCore
import SegueEngine

/// A device: its daemon's state on disk, its session bus, its clock, and its user.
final class VirtualDevice {
  let index: Int
  let name: String
  let id: DeviceID
  private unowned let world: Simulation
  var random: SeededGenerator
  // These outlive a daemon.
  var journal = ContinuationJournal()
  let store: VirtualStore
  private(set) var paired: Set<Int>
  private(set) var daemon: VirtualDaemon?
  private var daemons: UInt64 = 0
  /// The process that owns each application's bus name.
  var owners: [VirtualProcess?]
  /// When the last launch message to each application arrives.
  private var arrivals: [Instant]

  init(_ world: Simulation, _ index: Int) {
    self.world = world
    self.index = index
    random = world.generator(1, UInt64(index))
    name = world.schedule.devices[index]
    id = DeviceID(
      hash: [UInt8](repeating: UInt8(truncatingIfNeeded: index + 1), count: DeviceID.byteCount),
      check: [UInt8](repeating: 0, count: DeviceID.checkDigits))
    owners = world.schedule.applications.map { _ in nil }
    arrivals = world.schedule.applications.map { _ in 0 }
    paired = Set(world.schedule.devices.indices.filter { $0 != index })
    store = VirtualStore(world, world.generator(2, UInt64(index)))
  }

  func latency() -> UInt64 { world.latency(&random) }

  // MARK: The clocks

  /// How far the wall clock was set forward or back, in seconds.
  private var ahead: Int64 = 0

  var moment: Moment {
    let now = world.now.milliseconds
    return Moment(
      instant: world.now, seconds: UInt64(1_700_000_000 + ahead) + now / 1000, microseconds: now &* 1000)
  }

  var hasOwnTime: Bool { ahead != 0 }

  func setClock() { ahead += Int64(random.below(7_200)) - 3_600 }

  // MARK: Sleep

  private(set) var isAsleep = false
  /// The events that came due while the device sleeps: timers of the boot clock, and messages within the machine.
  private var due: [(number: Int, event: Simulation.Event)] = []

  /// The machine stands still, while the clock of all expirations goes on.
  func sleep() {
    guard !isAsleep else { return }
    isAsleep = true
    checkLinks()
  }

  func wake() {
    guard isAsleep else { return }
    isAsleep = false
    while !due.isEmpty {
      let (_, event) = due.removeFirst()
      world.note(event.what)
      event.body()
    }
    // The links were lost in the sleep, and come back because the engine dials anew.
    daemon?.handle(.woke)
  }

  func whenAwake(_ number: Int, _ event: Simulation.Event) { due.append((number, event)) }

  /// Returns false if the event does not wait for the machine to wake.
  func cancelWhenAwake(_ number: Int) -> Bool {
    guard let index = due.firstIndex(where: { $0.number == number }) else { return false }
    due.remove(at: index)
    return true
  }

  func checkLinks() {
    for link in world.links where link.ends.contains(where: { $0 === self }) { link.check() }
  }

  // MARK: Pairing

  /// Whether there can be a link.
  func isLinkable(_ other: VirtualDevice) -> Bool { isPaired(other) && other.isPaired(self) }

  func isPaired(_ other: VirtualDevice) -> Bool { paired.contains(other.index) }

  /// The user removes the other device here. A link to it may live for a moment longer.
  func unpair(_ other: VirtualDevice) {
    guard paired.remove(other.index) != nil else { return }
    world.unpaired.insert([min(index, other.index), max(index, other.index)])
    daemon?.tellPaired()
    world.after(latency(), "\(name): the link to \(other.name) is closed") { [self] in
      world.link(self, other)?.check()
    }
  }

  /// The user adds the other device here, and this one there.
  func pair(_ other: VirtualDevice) {
    for (one, other) in [(self, other), (other, self)] where one.paired.insert(other.index).inserted {
      one.daemon?.tellPaired()
    }
    world.link(self, other)?.check()
  }

  var pairedNames: [Event.PairedName] {
    world.devices.filter { paired.contains($0.index) }.map { Event.PairedName(device: $0.id, name: $0.name) }
  }

  // MARK: The daemon

  func startDaemon() {
    daemon?.effectsLeft = nil
    guard daemon == nil else { return }
    daemons += 1
    let started = VirtualDaemon(world, self, number: daemons)
    world.start(started)
    daemon = started
    world.note("\(name): daemon \(daemons) starts")
    started.start()
    checkLinks()
    for process in world.processes where process.device === self { process.daemonCame(started.number) }
  }

  /// The daemon ends as by SIGKILL: its files stay as they were written, and of its requests to the store some are
  /// done.
  func killDaemon() {
    guard let killed = daemon else { return }
    world.note("\(name): daemon \(killed.number) dies")
    daemon = nil
    killed.end()
    store.daemonEnded()
    // An activity that was withdrawn at the last moment, and whose copy was not removed from the disk, comes back.
    for (id, activity) in world.activities where store.has(id, from: nil, at: moment.seconds) {
      activity.comesBack()
    }
    for process in world.processes where process.device === self { process.daemonWent(killed) }
    checkLinks()
  }

  func heal() {
    wake()
    store.isFull = false
    startDaemon()
  }

  @discardableResult func startProcess(_ application: Int, isLaunched: Bool) -> VirtualProcess? {
    guard owners[application] == nil else { return nil }
    let process = VirtualProcess(world, self, application)
    world.start(process)
    owners[application] = process
    process.start(isLaunched: isLaunched)
    return process
  }

  /// The bus delivers a launch message, and starts the application where it may. Messages keep their order.
  func deliver(_ launch: VirtualLaunch, to application: Int) {
    arrivals[application] = max(arrivals[application], world.now + latency())
    let time = world.now.time(until: arrivals[application])
    world.after(time, on: self, "\(name): launch message \(launch.ticket.low)") { [self] in
      if let owner = owners[application] { return owner.launched(launch) }
      guard launch.startsIt else {
        return launch.answer(SegueError(.launchFailed, "Nobody owns the name."), ownerGone: false)
      }
      guard !random.oneIn(world.schedule.fails) else {
        return launch.answer(SegueError(.launchFailed, "No service file."), ownerGone: false)
      }
      startProcess(application, isLaunched: true)?.launched(launch)
    }
  }
}
