import SegueCore
import SegueEngine

/// One run of a device's daemon: the engine, and services that carry out its effects on virtual devices.
final class VirtualDaemon {
  let number: UInt64
  unowned let device: VirtualDevice
  unowned let world: Simulation
  private let runner: EngineRunner
  private(set) var isRunning = true
  /// How many effects the daemon still carries out before it is killed; nil: it goes on.
  var effectsLeft: Int?
  /// The tickets with which an application may answer its launch message.
  private(set) var accepted: Set<Identifier> = []
  private var timer: Int?
  /// When the engine wants to be called; nil: it waits for no time.
  private(set) var wake: Instant?
  /// Calls that wait for their reply.
  private var requests: [RequestID: (Effect.Reply) -> Void] = [:]
  private var requestCount: RequestID = 0
  private var launches: [Identifier: Int] = [:]
  private var localizing: [Identifier: Int] = [:]
  /// The continuations whose end was written last.
  private var written: Set<Identifier> = []
  /// The continuations that were launched in this turn and not recorded.
  private var unrecorded: Set<Identifier> = []
  let screen: VirtualScreen
  // VirtualDaemon+Peers.swift uses these too.
  /// The links that the engine knows of: their generations by the peer's index.
  var online: [Int: Int] = [:]
  var fetches: [FetchID: VirtualFetch] = [:]
  /// The device whose link has ended, while that is being reported.
  var leaving: VirtualDevice?
  /// Fetches of other devices without an answer.
  var asked: [ChannelID: VirtualFetch] = [:]
  /// The last answer to a fetch whose answer is not awaited.
  var lastAnswer: FetchAnswer?
  var doors: [SessionID: VirtualDoor] = [:]
  var saves: [SaveID: Asked] = [:]
  private(set) lazy var streams = VirtualStreams(of: self)
  private(set) lazy var wantedFiles = VirtualWantedFiles(of: self)
  private(set) lazy var givenFiles = VirtualGivenFiles(of: self)

  /// A request to an application for its state.
  struct Asked {
    let door: VirtualDoor
    let activity: Identifier
    let request: DoorSaveRequest
  }

  init(_ world: Simulation, _ device: VirtualDevice, number: UInt64) {
    self.world = world
    self.device = device
    self.number = number
    screen = VirtualScreen(world, device)
    var settings = EngineSettings(
      device: device.id, deviceName: device.name, boot: "boot",
      makeIdentifier: { [unowned world] in world.newIdentifier() },
      alias: { device, _ in String(device.bytes[0]) })
    settings.policy.sharesSnapshots = true
    settings.policy.keepsSnapshots = true
    settings.times.storedCopy = VirtualStore.life * 1000
    runner = EngineRunner(
      Engine(settings, journal: device.journal, at: device.moment),
      clock: { [unowned device] in device.moment })
  }

  func start() {
    runner.perform = { [unowned self] in perform($0) }
    screen.daemon = self
    handle(.applications(world.catalog.index))
    handle(.rules(world.catalog.rules))
    tellPaired()
    device.store.load(self)
    world.after(device.latency(), on: device, "\(device.name): the daemon has its names") { [self] in
      handle(.canLaunch)
    }
  }

  func tellPaired() { handle(.paired(device.pairedNames)) }

  /// The daemon is killed: none of its effects is seen any more.
  func end() {
    isRunning = false
    if let timer { world.cancel(timer) }
    timer = nil
    for number in localizing.values { world.cancel(number) }
    localizing = [:]
    runner.perform = { _ in }
    streams.drop()
    wantedFiles.drop()
    givenFiles.drop()
  }

  /// Ends the daemon before an effect; callers learn of that later, as by a connection that closes. A continuation
  /// whose end is written down has ended, even if the news of that is lost.
  private func die(before effect: Effect) {
    end()
    runner.perform = { [unowned self] effect in
      if case .signal(let signal) = effect { self.signal(signal, of: written) }
    }
    runner.perform(effect)
    world.after(0, "\(device.name): the daemon is gone") { [self] in
      if device.daemon === self { device.killDaemon() }
    }
  }

  func handle(_ event: Event) {
    guard isRunning else { return }
    runner.handle(event)
    for id in unrecorded { world.problem("X9: \(id.low) was launched and is not recorded") }
    unrecorded = []
  }

  /// Makes a call that is replied to once.
  func call(_ event: (RequestID) -> Event, _ reply: @escaping (Effect.Reply) -> Void) {
    guard isRunning else { return }
    requestCount += 1
    requests[requestCount] = reply
    handle(event(requestCount))
  }

  // MARK: The screen

  var listed: [Listed] { runner.ask { $0.list(at: $1) } }

  var storedCopies: [StoredCopy] { runner.ask { $0.storedCopies(at: $1).map { $0.copy } } }

  var hasFiles: Bool { runner.engine.hasFiles }

  /// The user continues the last activity that an application had on the other device, on offer or not.
  func choose(_ application: Int, of source: VirtualDevice, for wanted: Int) {
    guard let activity = world.latest[source.index][application] else { return }
    let isNamed = application != wanted || device.random.oneIn(2)
    let appID = world.catalog.appIDs[wanted]
    call({ .control($0, .choose(activity.id, isNamed ? appID : nil, activationToken: nil)) }) { [unowned world] reply in
      world.note("  the choice of \(activity.id.low): \(reply)")
      guard isNamed, case .continuation(let id) = reply, let account = world.accounts[id] else { return }
      if account.appID != appID {
        world.problem("V3: \(id.low) ended well for an application that was not chosen")
      }
    }
  }

  // MARK: Effects

  private func perform(_ effect: Effect) {
    if let left = effectsLeft {
      guard left > 0 else { return die(before: effect) }
      effectsLeft = left - 1
    }
    world.note("  \(device.name): \(effect)")
    switch effect {
    case .record(let journal):
      written = Set(device.journal.running.map { $0.id }).subtracting(journal.running.map { $0.id })
      device.journal = journal
    case .wake(let time): set(time)
    case .reply(let request, let reply): self.reply(request, reply)
    case .send(let message, let peer): send(message, to: peer)
    case .fetch(let id, let request, let peer): fetch(id, request, from: peer)
    case .cancelFetch(let id): cancelFetch(id)
    case .answerFetch(let channel, let answer): answerFetch(channel, answer)
    case .askSave(let id, let activity, let request, let session): askSave(id, activity, request, session)
    case .endSave(let id):
      if saves.removeValue(forKey: id) == nil { world.problem("a save was ended that was not asked for") }
    case .tellContinued(let session, let notice): tellContinued(session, notice)
    case .tellOffers(let session, let offers): tellOffers(session, offers)
    case .launch(let launch): self.launch(launch)
    case .localize(let continuation, let snapshot): localize(continuation, snapshot)
    case .cancelLocalize(let continuation): endLocalizing(continuation)
    case .openBrowser(let continuation, let page): openBrowser(continuation, page)
    case .store(let id, let request): device.store.ask(id, request, self)
    case .showNotice(let key, let notice): screen.show(key, notice)
    case .closeNotice(let key): screen.close(key)
    case .signal(let signal): self.signal(signal)
    case .redial: device.checkLinks()
    case .stream(let effect): streams.perform(effect)
    case .file(let effect): file(effect)
    case .findFile(let activity, let file): handle(.foundFile(activity, file, .outside))
    case .pairing, .discovery, .learn, .pin, .log, .fetchAssociation, .keepAssociation, .forgetAssociation, .showText:
      break
    }
  }

  private func set(_ time: Instant?) {
    if let timer { world.cancel(timer) }
    wake = time
    timer = time.map { time in
      world.after(world.now.time(until: time), on: device, "\(device.name): the time has come") { [self] in
        timer = nil
        wake = nil
        handle(.time)
      }
    }
  }

  private func reply(_ request: RequestID, _ reply: Effect.Reply) {
    guard let waiting = requests.removeValue(forKey: request) else {
      return world.problem("request \(request) was replied to twice, or never made")
    }
    wantedFiles.replied(request)
    if case .claimed(let snapshot) = reply { delivers(snapshot) }
    if case .stream(let id) = reply { streams.closeUntaken(id) }
    waiting(reply)
  }

  private func delivers(_ snapshot: Snapshot) {
    let running = world.accounts.values.filter {
      $0.device === device && $0.offer == snapshot.id && $0.ends.isEmpty
    }
    guard let account = running.max(by: { $0.id < $1.id }) else {
      return world.problem("a state was delivered for no continuation")
    }
    world.judge(delivered: snapshot, of: account, by: self)
  }

  func accept(_ ticket: Identifier) { accepted.insert(ticket) }

  /// `continuations`: only the signals of these count; nil: all.
  private func signal(_ signal: Effect.Signal, of continuations: Set<Identifier>? = nil) {
    guard case .continuationChanged(let id, let state) = signal, continuations?.contains(id) != false else { return }
    switch state {
    case .continued, .failed:
      unrecorded.remove(id)
      let last = runner.engine.last
      world.accounts[id]?.ended(last?.id == id ? last?.error : nil, well: state == .continued)
    case .launching, .waiting, .notResponding, .begun: break
    }
  }

  private func launch(_ launch: Effect.Launch) {
    let record = device.journal.running.first { $0.id == launch.continuation }
    // A continuation that is not recorded must have ended in the same turn.
    if record == nil { unrecorded.insert(launch.continuation) }
    if let record, world.accounts[launch.continuation] == nil {
      if world.accounts.values.contains(where: { $0.device === device && $0.isOnItsWay }) {
        world.problem("V3: two continuations are on their way")
      }
      world.accounts[launch.continuation] = Account(world, record, on: device)
    }
    if let taker = launch.taker { return deliver(VirtualLaunch(world, self, launch), at: taker.session) }
    launches[launch.continuation, default: 0] += 1
    if launches[launch.continuation, default: 0] > 2 { world.problem("V18: launched three times") }
    let application = world.catalog.appIDs.firstIndex(of: launch.application.appID) ?? 0
    device.deliver(VirtualLaunch(world, self, launch), to: application)
  }

  // MARK: Files and pages

  private func file(_ effect: FileEffect) {
    switch effect {
    case .bring(let id, let request, let device): wantedFiles.bring(id, request, device)
    case .drop(let id, let code): wantedFiles.drop(id, code)
    case .tell(let session, let transfer, let done, let size): wantedFiles.tell(session, transfer, done, size)
    case .open(let id, let channel, let request, let session): givenFiles.open(id, channel, request, session)
    case .send(let id): givenFiles.send(id)
    case .refuse(let channel, let error): givenFiles.refuse(channel, error)
    case .end(let id, let code): givenFiles.end(id, code)
    }
  }

  /// To the other end of a channel, where this one has not learnt that the link is another one by now.
  func pass(_ peer: VirtualDevice, _ what: @autoclosure () -> String, _ body: @escaping (VirtualDaemon) -> Void) {
    guard let link = world.link(device, peer), link.isCurrent(self.link(to: peer)) else { return }
    link.send(from: device, what(), body)
  }

  /// The files are here now, in a while, or never.
  private func localize(_ continuation: Identifier, _ snapshot: Snapshot) {
    let time = device.random.oneIn(3) ? 0 : device.random.below(2 * Limits.containerTime)
    let isLate = time > Limits.containerTime
    world.accounts[continuation]?.localized = nil
    localizing[continuation] = world.after(
      min(time, Limits.containerTime), on: device, "\(device.name): files of \(continuation.low)"
    ) { [self] in
      localized(continuation, isLate ? nil : snapshot)
    }
    world.accounts[continuation]?.awaited = snapshot
  }

  private func localized(_ continuation: Identifier, _ snapshot: Snapshot?) {
    localizing[continuation] = nil
    guard var snapshot else {
      let error = SegueError(.handoffFailed, "The file has not arrived.")
      return handle(.localized(continuation: continuation, .failure(error)))
    }
    if !snapshot.files.isEmpty { snapshot.filesHere = [ExactText(VirtualActivity.fileHere)] }
    snapshot.files = []
    world.accounts[continuation]?.localized = snapshot.revision
    handle(.localized(continuation: continuation, .success(snapshot)))
  }

  /// All files arrive that a continuation waits for.
  func filesArrive() {
    for continuation in localizing.keys.sorted() {
      endLocalizing(continuation)
      localized(continuation, world.accounts[continuation]?.awaited)
    }
  }

  private func endLocalizing(_ continuation: Identifier) {
    guard let number = localizing.removeValue(forKey: continuation) else {
      return world.problem("files were not waited for that are not waited for any more")
    }
    world.cancel(number)
  }

  private func openBrowser(_ continuation: Identifier, _ page: WebURL) {
    let error = device.random.oneIn(4) ? SegueError(.notHandled, "There is no browser.") : nil
    world.accounts[continuation]?.asksBrowser(self, error)
    world.after(device.latency(), on: device, "\(device.name): a browser for \(continuation.low)") { [self] in
      handle(.browserOpened(continuation: continuation, error))
    }
  }

  // MARK: The verdict

  /// Judges the daemon when no operation is under way.
  func judgeAtRest() {
    let name = device.name
    if !device.journal.running.isEmpty { world.problem("X9: a record is left on \(name)") }
    if !requests.isEmpty { world.problem("requests without a reply on \(name): \(requests.keys.sorted())") }
    if !saves.isEmpty { world.problem("S9: a save never ends on \(name)") }
    if !asked.isEmpty { world.problem("S9: fetches without an answer on \(name)") }
    if !fetches.isEmpty { world.problem("a fetch never ends on \(name)") }
    streams.noteEnds()
    if !streams.isEmpty { world.problem("T4: streams are left on \(name)") }
    if runner.engine.hasStreams { world.problem("T3: \(name) counts streams that there are not") }
    wantedFiles.judgeAtRest()
    givenFiles.judgeAtRest()
    if !localizing.isEmpty { world.problem("R8: files are waited for, for nobody, on \(name)") }
    let untold = device.journal.untold.contains { world.device($0.device).map { device.isLinkable($0) } ?? false }
    if untold { world.problem("X9: \(name) still tells, though all is linked") }
    if !screen.isAtRest { world.problem("V4: \(name) shows that something is on its way, and nothing is") }
  }
}
