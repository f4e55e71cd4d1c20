import SegueCore

/// One run of a device's daemon; the continuing side. SimulatedDaemon+Origin.swift has the other one.
final class SimulatedDaemon {
  final class Running {
    let id: Identifier
    let offer: Offer
    let source: SimulatedDevice
    let application: Int
    let fetchUntil: Instant
    let until: Instant
    var machine = ContinuationMachine()
    var timers: [(timer: ContinuationMachine.Timer, number: Int)] = []
    var ticket: Identifier?
    var launches = 0
    var door: SimulatedDoor?
    var beginIsOut = false
    var claimIsOut = false
    var fetch: Int?
    var revision: UInt64?
    /// The application may have the payload, or will not get it.
    var isCommitted = false
    /// The applications that those who chose it have named.
    var wanted: [Int] = []

    init(_ record: ContinuationJournal.Running, source: SimulatedDevice, application: Int) {
      id = record.id
      revision = record.revision
      offer = record.offer
      self.source = source
      self.application = application
      fetchUntil = record.isDelivered ? record.until : record.fetchUntil
      until = record.until
    }

    func record(_ appID: AppID) -> ContinuationJournal.Running {
      ContinuationJournal.Running(
        id: id, offer: offer, source: .device(source.id), appID: appID, boot: "", fetchUntil: fetchUntil, until: until,
        revision: revision)
    }
  }

  /// A fetch of another device.
  struct FetchKey: Hashable, Sendable {
    let device: Int
    let number: Int
  }

  let number: Int
  let device: SimulatedDevice
  unowned let world: Simulation
  private(set) var isRunning = true
  private(set) var accepted: Set<Identifier> = []
  private var running: [Running] = []
  private var failures: [Identifier: SegueError] = [:]
  private var fetches = 0
  private var remote: [Int: [Offer]] = [:]
  private var recent: [(offer: Offer, device: Int, until: Instant)] = []
  var online: Set<Int> = []
  /// Those of the applications that have registered.
  var doors: [SimulatedDoor] = []

  // The origin's side.
  struct Local {
    let door: SimulatedDoor
    let offer: Offer
    var isCurrent: Bool
  }
  var offers: [Identifier: Local] = [:]
  var saves = SaveRequests<FetchKey, Identifier>()
  var saveTimers: [Identifier: Int] = [:]
  var asked: [FetchKey: Identifier] = [:]
  var returning: [(key: FetchKey, activity: Identifier)] = []
  var announcer = Announcer()
  let startTime: Instant

  init(_ world: Simulation, _ device: SimulatedDevice, number: Int) {
    self.world = world
    self.device = device
    self.number = number
    startTime = world.now
  }

  func isOnline(_ peer: SimulatedDevice) -> Bool { online.contains(peer.index) }

  /// It is killed: nobody hears anything of it any more.
  func end() {
    isRunning = false
    for continuation in running { for timer in continuation.timers { world.cancel(timer.number) } }
    for timer in saveTimers.values { world.cancel(timer) }
    running = []
    saveTimers = [:]
  }

  // MARK: Choosing

  /// An application's offer for the same application, or for another one.
  func choose(_ offering: Int, from source: SimulatedDevice, for application: Int) {
    let gone = recent.last { $0.device == source.index && $0.until > world.now && $0.offer.application == offering }
    guard let offer = remote[source.index]?.first(where: { $0.application == offering }) ?? gone?.offer else {
      return
    }
    if let same = running.first(where: { $0.offer.id == offer.id && $0.application == application }) {
      same.wanted.append(application)
      return handle(.chosen, same)
    }
    for other in running { handle(.superseded, other) }
    let id = world.newIdentifier()
    world.accounts[id] = Simulation.Account(
      offer: offer.id, device: device, origin: world.processes.first { $0.hasMade(offer.id) })
    let continuation = Running(
      ContinuationJournal.Running(
        id: id, offer: offer, source: .device(source.id), appID: world.appID(application), boot: "",
        fetchUntil: world.now + Limits.fetchTime, until: world.now + Limits.ticketTime),
      source: source, application: application)
    continuation.wanted = [application]
    running.append(continuation)
    if running.contains(where: { !$0.isCommitted && $0 !== continuation }) {
      world.problem("V3: two continuations are on their way")
    }
    handle(.chosen, continuation)
  }

  /// Goes on with what the last daemon has written down.
  func resume() {
    guard isRunning else { return }
    for record in device.journal.running where !running.contains(where: { $0.id == record.id }) {
      guard let source = world.devices.first(where: { $0.id == record.source.device }) else { continue }
      let application = world.scenario.applications.indices.first { world.appID($0) == record.appID }
      let continuation = Running(record, source: source, application: application ?? record.offer.application)
      let resumption = resumption(of: record)
      if case .undelivered = resumption { continuation.isCommitted = false } else { continuation.isCommitted = true }
      running.append(continuation)
      handle(.resumed(resumption), continuation)
    }
  }

  private func resumption(of record: ContinuationJournal.Running) -> ContinuationMachine.Resumption {
    if record.isDelivered, world.now < record.until { return .delivered }
    if !record.isDelivered, world.now < min(record.fetchUntil, record.until) { return .undelivered }
    return .expired(SegueError(.connectionUnavailable, "The time is over."))
  }

  // MARK: The machine

  func handle(_ event: ContinuationMachine.Event, _ continuation: Running) {
    let effects = continuation.machine.handle(event)
    for effect in effects { record(effect, of: continuation) }
    for effect in effects {
      world.note("  \(device.name) \(continuation.id.low): \(effect)")
      perform(effect, continuation)
    }
  }

  private func record(_ effect: ContinuationMachine.Effect, of continuation: Running) {
    switch effect {
    case .launch: device.journal.note(continuation.record(world.appID(continuation.application)))
    case .answerClaim:
      continuation.isCommitted = true
      var record = continuation.record(world.appID(continuation.application))
      record.isDelivered = true
      record.until = world.now + Limits.finishTime
      device.journal.note(record)
    case .tellOrigin(let inBrowser):
      device.journal.tell(
        continuation.source.id,
        .init(
          continuation: continuation.id, activity: continuation.offer.id, appID: continuation.offer.appID,
          inBrowser: inBrowser))
    case .ended(let error, _):
      device.journal.end(continuation.id)
      if error == nil, let revision = continuation.revision {
        device.journal.take(continuation.offer.id, of: continuation.source.id, revision: revision)
      }
    default: break
    }
  }

  private func perform(_ effect: ContinuationMachine.Effect, _ continuation: Running) {
    switch effect {
    case .fetch: fetch(continuation)
    case .cancelFetch: cancelFetch(continuation)
    case .localize, .cancelLocalize: world.problem("no snapshot names files")
    case .openBrowser: world.problem("no snapshot has a page")
    case .launch: launch(continuation, resumes: false)
    case .reach: launch(continuation, resumes: true)
    case .showWaiting:
      if continuation.fetch != nil { world.problem("X9: it waits for the link, and fetches") }
    case .acceptBegin: answerBegin(continuation, nil)
    case .refuseBegin(let error): answerBegin(continuation, error)
    case .answerClaim: answerClaim(continuation, nil)
    case .failClaim(let error), .refuseClaim(let error): answerClaim(continuation, error)
    case .start(let timer): start(timer, continuation)
    case .stop(let timer): stop(timer, continuation)
    case .showNotResponding: break
    case .tellOrigin: tellUntold(continuation.source)
    case .ended(let error, _): ended(continuation, error)
    }
  }

  private func start(_ timer: ContinuationMachine.Timer, _ continuation: Running) {
    if continuation.timers.contains(where: { $0.timer == timer }) { world.problem("\(timer) was started twice") }
    var time = timer.time
    if timer == .fetch {
      time = min(time, max(world.now.time(until: continuation.fetchUntil), 1))
    }
    let number = world.after(time, on: device, "\(device.name) \(continuation.id.low): \(timer) is over") { [self] in
      continuation.timers.removeAll { $0.timer == timer }
      handle(.expired(timer), continuation)
    }
    continuation.timers.append((timer, number))
  }

  private func stop(_ timer: ContinuationMachine.Timer, _ continuation: Running) {
    for running in continuation.timers where running.timer == timer { world.cancel(running.number) }
    continuation.timers.removeAll { $0.timer == timer }
  }

  private func ended(_ continuation: Running, _ error: SegueError?) {
    if !continuation.timers.isEmpty { world.problem("timers run after the end: \(continuation.timers)") }
    running.removeAll { $0 === continuation }
    world.accounts[continuation.id]?.outcomes.append(error)
    guard let error else {
      if continuation.wanted.contains(where: { $0 != continuation.application }) {
        world.problem("V3: \(continuation.id.low) ended well for an application that was not chosen")
      }
      return
    }
    if continuation.claimIsOut { answerClaim(continuation, error) }
    if let ticket = continuation.ticket { failures[ticket] = error }
  }

  // MARK: Launching

  private func launch(_ continuation: Running, resumes: Bool) {
    let ticket = world.newIdentifier()
    continuation.ticket = ticket
    continuation.launches += 1
    if continuation.launches > 2 { world.problem("V18: launched \(continuation.launches) times") }
    let launch = SimulatedLaunch(world, self, ticket: ticket, continuation: continuation.id, resumes: resumes)
    device.deliver(launch, to: continuation.application)
  }

  func launchFailed(_ launch: SimulatedLaunch, _ error: SegueError, ownerGone: Bool) {
    guard let continuation = running.first(where: { $0.ticket == launch.ticket }) else { return }
    handle(.launchFailed(error, ownerGone: ownerGone), continuation)
  }

  func begin(_ ticket: Identifier, _ door: SimulatedDoor) {
    guard let continuation = running.first(where: { $0.ticket == ticket }), continuation.door == nil else {
      return door.toProcess("begin is refused") { door.process.began(ticket, Self.noTicket) }
    }
    continuation.door = door
    continuation.beginIsOut = true
    handle(.begin, continuation)
  }

  func claim(_ ticket: Identifier, _ door: SimulatedDoor) {
    guard let continuation = running.first(where: { $0.ticket == ticket }), continuation.door === door,
      !continuation.claimIsOut
    else {
      let error = failures[ticket] ?? Self.noTicket
      return door.toProcess("the claim is refused") { door.process.claimed(ticket, error) }
    }
    continuation.claimIsOut = true
    handle(.claim, continuation)
  }

  func finish(_ ticket: Identifier, _ door: SimulatedDoor, handled: Bool) {
    guard let continuation = running.first(where: { $0.ticket == ticket }), continuation.door === door else { return }
    handle(.finished(handled: handled), continuation)
  }

  private func answerBegin(_ continuation: Running, _ error: SegueError?) {
    guard continuation.beginIsOut, let door = continuation.door, let ticket = continuation.ticket else {
      return world.problem("nobody waits for begin's answer")
    }
    continuation.beginIsOut = false
    if error == nil { accepted.insert(ticket) }
    door.toProcess("begin is answered") { door.process.began(ticket, error) }
  }

  private func answerClaim(_ continuation: Running, _ error: SegueError?) {
    guard continuation.claimIsOut, let door = continuation.door, let ticket = continuation.ticket else {
      return world.problem("nobody waits for the claim's answer")
    }
    continuation.claimIsOut = false
    door.toProcess("the claim is answered") { door.process.claimed(ticket, error) }
  }

  private static let noTicket = SegueError(.notFound, "no ticket")

  // MARK: Fetching

  private func fetch(_ continuation: Running) {
    let source = continuation.source
    guard isOnline(source) else {
      return handle(.unreachable(SegueError(.connectionUnavailable, "no link")), continuation)
    }
    fetches += 1
    let key = FetchKey(device: device.index, number: fetches)
    continuation.fetch = fetches
    let activity = continuation.offer.id
    world.link(device, source)?.send(from: device, "fetch \(key.number)") { $0.fetchAsked(key, activity) }
  }

  /// The same continuation asks again.
  func fetchOnceMore() {
    for continuation in running where continuation.fetch != nil { fetch(continuation) }
  }

  private func cancelFetch(_ continuation: Running) {
    guard let number = continuation.fetch else { return }
    continuation.fetch = nil
    let key = FetchKey(device: device.index, number: number)
    world.link(device, continuation.source)?.send(from: device, "fetch \(number) is cancelled") { $0.abandon(key) }
  }

  func fetchAnswered(_ number: Int, _ answer: Result<Snapshot, SegueError>) {
    guard let continuation = running.first(where: { $0.fetch == number }) else { return }
    continuation.fetch = nil
    switch answer {
    case .success(let snapshot):
      continuation.revision = snapshot.revision
      handle(.fetched(snapshot), continuation)
    case .failure(let error): handle(.fetchFailed(error), continuation)
    }
  }

  // MARK: Links

  func linkUp(_ peer: SimulatedDevice) {
    guard isRunning else { return }
    if isOnline(peer) { linkDown(peer) }
    online.insert(peer.index)
    sendOffers(to: peer)
    for continuation in running where continuation.source === peer { handle(.linkUp, continuation) }
    tellUntold(peer)
  }

  func linkDown(_ peer: SimulatedDevice) {
    guard isRunning, online.remove(peer.index) != nil else { return }
    take([], of: peer)
    for key in asked.keys.sorted(by: { $0.number < $1.number }) where key.device == peer.index { abandon(key) }
    for continuation in running where continuation.source === peer && continuation.fetch != nil {
      continuation.fetch = nil
      handle(.unreachable(SegueError(.connectionUnavailable, "link lost")), continuation)
    }
  }

  func take(_ offers: [Offer], of peer: SimulatedDevice) {
    recent.removeAll { $0.until <= world.now }
    for offer in remote[peer.index] ?? [] { recent.append((offer, peer.index, world.now + Limits.graceTime)) }
    remote[peer.index] = offers
  }

  func leave(_ door: SimulatedDoor) {
    doors.removeAll { $0 === door }
    left(door)
    for continuation in running where continuation.door === door { handle(.callerGone, continuation) }
  }

  func judge() {
    if !running.isEmpty { world.problem("\(running.count) continuations never end on \(device.name)") }
    if !saveTimers.isEmpty { world.problem("a save's timer is left on \(device.name)") }
    if !asked.isEmpty { world.problem("S9: fetches without an answer on \(device.name)") }
    if !device.journal.running.isEmpty { world.problem("X9: a record is left on \(device.name)") }
    if !device.journal.untold.isEmpty { world.problem("X9: \(device.name) still tells, though all is linked") }
  }
}

extension Offer {
  /// The application's number in the scenario; the revision carries it, since a simulated one has no other use for it.
  var application: Int { Int(revision) }
}

extension ContinuationMachine.Timer {
  /// As the daemon sets it.
  var time: UInt64 {
    switch self {
    case .fetch: Limits.fetchTime
    case .launch: Limits.launchTime
    case .notResponding: Limits.notRespondingTime
    case .claim: Limits.claimTime
    case .finish: Limits.finishTime
    }
  }
}
