import SegueCore
import SegueEngine

/// A process of an application: its activities, and the continuations that are on their way into it. It carries out
/// effects as SegueRuntime does.
final class VirtualProcess {
  unowned let device: VirtualDevice
  let application: Int
  unowned let world: Simulation
  var random: SeededGenerator
  let appID: AppID
  var type: ActivityType { world.catalog.type }
  var name: String { "\(device.name)/\(world.schedule.applications[application])" }
  private(set) var isRunning = true
  private(set) var wasKilled = false
  private(set) var door: VirtualDoor?
  private var current: VirtualActivity?
  private(set) var activities: [Identifier: VirtualActivity] = [:]
  /// The files that the process has asked for and not got, by their numbers.
  var files: [UInt64: VirtualFile] = [:]
  private var heard: Set<Identifier> = []
  /// Whether it has a menu of what can be continued, and what stands there.
  private let hasMenu: Bool
  /// Whether its library understands launch messages at the door.
  let takesLaunches: Bool
  private var doorRandom: SeededGenerator
  var offers: [ListedOffer] = []
  private var expiry: Int?
  /// The current activity, as the daemon was last told.
  private var sent: DoorActivity?
  private(set) lazy var arrivals = VirtualArrivals(world, self)

  init(_ world: Simulation, _ device: VirtualDevice, _ application: Int) {
    self.world = world
    self.device = device
    self.application = application
    appID = world.catalog.appIDs[application]
    random = world.generator(4, UInt64(device.index), UInt64(application), UInt64(world.processes.count))
    hasMenu = random.oneIn(3)
    doorRandom = world.generator(5, UInt64(device.index), UInt64(application), UInt64(world.processes.count))
    takesLaunches = !doorRandom.oneIn(3)
  }

  /// Whether it owns the application's name: now and then it loses its bus, and has not got the name back.
  var ownsName: Bool { device.owners[application] === self && !doorRandom.oneIn(10) }

  func latency() -> UInt64 { world.latency(&random) }

  func start(isLaunched: Bool) {
    let owner = device.daemon?.number
    after(latency(), "knows the daemon") { [self] in arrivals.handle(.daemonOwner(device.daemon?.number ?? owner)) }
    openDoorSoon(latency())
    if !isLaunched { makeCurrent() }
    guard !random.oneIn(2 * world.schedule.hangs) else { return }  // It is never ready.
    after(latency(), "is ready") { [self] in arrivals.handle(.ready) }
  }

  @discardableResult
  func after(_ time: UInt64, _ what: @autoclosure () -> String, _ body: @escaping () -> Void) -> Int {
    world.after(time, on: device, "\(name) \(what())") { [self] in
      if isRunning { body() }
    }
  }

  // MARK: The door

  private func openDoorSoon(_ time: UInt64) {
    after(time, "opens the door") { [self] in
      guard door == nil else { return }
      guard let daemon = device.daemon else {
        // The bus starts the daemon, unless an obstacle keeps it from that.
        if random.oneIn(3) { device.startDaemon() }
        return openDoorSoon(Limits.reconnectTime)
      }
      let opened = VirtualDoor(world, self, daemon)
      door = opened
      opened.register()
      sent = nil
      refreshOffer()
      for (_, activity) in activities.sorted(by: { $0.key < $1.key }) where activity !== current {
        if activity.deadline != nil { tellExpiry(activity) }
      }
      if hasMenu { opened.say(.followOffers) }
      arrivals.handle(.doorOpened(daemon.number))
    }
  }

  func doorLost() {
    guard isRunning else { return }
    door = nil
    endFiles(.orphaned)
    arrivals.handle(.doorLost)
    openDoorSoon(100 + latency())
  }

  /// The bus reports a new daemon before any message of that daemon arrives.
  func daemonCame(_ number: UInt64) {
    guard isRunning else { return }
    arrivals.handle(.daemonOwner(number))
    // Some processes are busy, and try again late.
    if door == nil, random.oneIn(2) { openDoorSoon(latency()) }
  }

  func daemonWent(_ daemon: VirtualDaemon) {
    guard isRunning else { return }
    arrivals.handle(.daemonOwner(nil))
    guard let lost = door, lost.daemon === daemon else { return }
    after(latency(), "loses the door") { [self] in
      if door === lost { doorLost() }
    }
  }

  // MARK: Activities

  func makeCurrent(from source: ActivityReference? = nil) {
    let activity = VirtualActivity(world.newIdentifier(), of: self, from: source)
    let schedule = world.schedule
    activity.hangs = random.oneIn(schedule.hangs)
    activity.isTooLarge = random.oneIn(2 * schedule.hangs)
    activity.allowsSnapshot = random.oneIn(schedule.keeps)
    activity.isForSearch = random.oneIn(2 * schedule.keeps)
    if random.oneIn(schedule.files) {
      activity.file = ContainerFile(url: "file:///there", container: "shared", path: "item")
    }
    if random.oneIn(schedule.pages) { activity.page = "https://example.org/" }
    activity.supportsStreams = random.oneIn(schedule.streams)
    activity.allowsFiles = random.oneIn(schedule.brings)
    if random.oneIn(schedule.ends) { activity.deadline = world.now + 1_000 + random.below(60_000) }
    activities[activity.id] = activity
    world.activities[activity.id] = activity
    world.latest[device.index][application] = activity
    current = activity
    refreshOffer()
  }

  /// Whether the process can be told that this activity was continued, on offer or not.
  func holds(_ id: Identifier) -> Bool { isRunning && activities[id] != nil }

  /// Tells the daemon which activity is current, if its offer looks different.
  private func refreshOffer() {
    guard let activity = current, let door else { return }
    if let deadline = activity.deadline, deadline <= world.now { return endExpired(activity, door) }
    let described = activity.described(at: world.now)
    guard !described.looksLike(sent) else { return }
    setCurrent(described, door)
    if let expiry { world.cancel(expiry) }
    expiry = activity.deadline.map { deadline in
      after(world.now.time(until: deadline), "has an activity that expires") { [self] in
        expiry = nil
        refreshOffer()
      }
    }
  }

  private func setCurrent(_ described: DoorActivity, _ door: VirtualDoor) {
    sent = described
    door.ask({ .setCurrent(described, $0) }) { [unowned world] reply in
      if case .failed(let error) = reply { world.note("  it is not current: \(error.message)") }
    }
  }

  private func endExpired(_ activity: VirtualActivity, _ door: VirtualDoor) {
    guard sent?.id == activity.id else { return }
    setCurrent(activity.described(at: world.now), door)
    sent = nil
    door.say(.invalidate(activity.id))
  }

  private func tellExpiry(_ activity: VirtualActivity) {
    let left = activity.deadline.map { world.now.time(until: $0) }
    door?.say(.setExpiry(activity.id, timeLeft: left))
  }

  // MARK: The user's deeds

  func change() {
    guard let current, current.change() else { return }
    refreshOffer()
  }

  func resign() {
    guard let activity = current else { return }
    current = nil
    guard sent?.id == activity.id else { return }
    sent = nil
    door?.say(.resign(activity.id))
  }

  func invalidate() {
    guard let activity = current else { return }
    current = nil
    sent = nil
    activities[activity.id] = nil
    activity.isEnded = true
    door?.say(.invalidate(activity.id))
  }

  /// The last activity expires soon, current or not.
  func expire() {
    guard let activity = current ?? activities.max(by: { $0.key < $1.key })?.value else { return }
    activity.deadline = random.oneIn(4) ? nil : world.now + random.below(20_000)
    sent = nil
    if activity === current { refreshOffer() } else { tellExpiry(activity) }
  }

  func deleteSaved() {
    guard let door else { return }
    let daemon = door.daemon
    let identifiers: TextSet? = random.oneIn(2) ? nil : TextSet(of: [activities.keys.max().map { "\($0.low)" } ?? ""])
    door.ask({ .deleteSaved(identifiers, $0) }) { [self] _ in world.note("  \(name): deleted at \(daemon.number)") }
  }

  /// The user chooses the first offer in the application's own menu.
  func pick() {
    guard let offer = offers.first else { return }
    door?.ask({ .choose(device: offer.id.device, offer.id.activity, activationToken: nil, $0) }) { [self] reply in
      guard case .continuation(let id) = reply, let account = world.accounts[id] else { return }
      if account.appID != appID { world.problem("V3: another application continues what was picked here") }
    }
  }

  /// The process asks for streams by the continuation that was delivered last.
  func openStream() {
    guard let continuation = arrivals.last else { return }
    door?.ask({ .openStream(continuation: continuation, $0) }) { [self, door] reply in
      switch reply {
      case .stream(let id): door?.daemon.streams.pair(of: id)?.arrive(at: self)
      case .failed(let error): world.note("  no stream: \(error.message)")
      default: world.problem("a request for a stream was answered with \(reply)")
      }
    }
  }

  // MARK: The daemon's requests

  /// Takes a pair of a stream. Nil: the application does not answer.
  func acceptStream(_ id: Identifier, _ pair: VirtualPair) -> Result<Void, SegueError>? {
    guard let activity = activities[id] else { return .failure(SegueError(.notFound, "no such activity")) }
    guard activity.supportsStreams else { return .failure(SegueError(.accessDenied, "no streams")) }
    guard !activity.hangs else { return nil }
    pair.arrive(at: self)
    return .success(())
  }

  func save(_ id: SaveID, _ activity: Identifier) {
    guard let door else { return }
    guard let activity = activities[activity] else {
      return door.say(.saved(id, .failure(SegueError(.notFound, "no such activity"))))
    }
    guard !activity.hangs else { return }
    for ready in activity.asked(id) {
      guard !activity.isTooLarge else {
        door.say(.saved(ready, .failure(SegueError(.handoffUserInfoTooLarge, "too large"))))
        continue
      }
      let snapshot = activity.snapshot()
      if sent?.id == activity.id {
        sent?.revision = snapshot.revision
        sent?.isChanged = false
      }
      door.say(.saved(ready, .success(snapshot)))
    }
  }

  /// The process is told that its activity was continued. Returns false if it has no such activity.
  func wasContinued(_ notice: ContinuedNotice) -> Bool {
    guard activities[notice.activity] != nil else { return false }
    if heard.insert(notice.continuation).inserted {
      if world.accounts[notice.continuation] == nil { world.problem("V11: \(name) was told of what never was") }
      world.accounts[notice.continuation]?.hears(notice)
    }
    return true
  }

  func launched(_ launch: VirtualLaunch) { arrivals.launched(launch) }

  // MARK: The end

  /// The process calls segue_application_close, then ends.
  func close() {
    guard isRunning else { return }
    arrivals.handle(.closed)
    end()
  }

  func exit() {
    guard isRunning else { return }
    wasKilled = true
    end()
  }

  private func end() {
    guard isRunning else { return }
    isRunning = false
    world.note("\(name) has ended")
    if device.owners[application] === self { device.owners[application] = nil }
    door?.close()
    arrivals.end()
    for pair in world.pairs where pair.holder === self { pair.close() }
    endFiles(.exited)
  }
}
