import Logging
import SegueBus
import SegueControl
import SegueCore
import SegueEngine
import SegueLink
import SegueState

/// The per-user daemon: an engine that decides, and services that report events to it and carry out its effects. This
/// class only connects them; docs/architecture.md has a drawing.
///
/// Everything here runs on the main thread, in dispatches of one event loop. The store, the writer of data that must be
/// on the disk, and the workers that look into file systems or resolve hosts' names have threads of their own, whose
/// events come over to it.
public final class Daemon {
  private let settings: Settings
  private let loop: EventLoop
  private let log: Log
  /// Locked while this lives.
  private let folder: StateFolder
  private let disk: DiskWriter
  private let runner: EngineRunner
  private let replies = Replies()
  private let journal: JournalService
  private let applications: ApplicationService
  private let declarations: DeclarationCacheFile
  private let files: FileService
  private let store: StoreService
  private let link: LinkService
  private let fetches: FetchService
  private let devices: DeviceService
  private let pairing: PairingService
  private let discovery: DiscoveryService
  private let bus: SessionBusService
  private let door: DoorService
  private let streams: StreamService
  private let transfers: FileTransferService
  private let control: ControlService
  private let launcher: LaunchService
  private let notices: NoticeService
  private let browser: BrowserService
  private let associations: AssociationService
  private let surfaces: SurfaceService
  private let sharing: SharingService
  private let systemBus: SystemBus
  private var sleepWatch: SleepWatch?
  private var screenWatch: ScreenWatch?
  private var networkWatch: NetworkWatch?
  /// The control object on the session bus; nil while that is gone.
  private var busControl: BusObject?
  private var wake: LoopTimer?
  private let signals: SignalService
  private var ended: Result<Void, SegueError>?

  public init(settings: Settings, logger: Logger) throws(SegueError) {
    self.settings = settings
    let log = Log(logger)
    self.log = log
    for note in settings.notes { log.notice("\(note)", cause: "settings") }
    loop = try EventLoop()
    systemBus = SystemBus(loop: loop, log: log)
    signals = SignalService(loop)
    try File.makeParents(of: settings.stateFolder)
    folder = try StateFolder(settings.stateFolder)
    let registrySettings = RegistrySettings(environment: { environment($0) })
    declarations = DeclarationCacheFile(in: settings.cacheFolder, registrySettings)
    let reading = RegistryReading(registrySettings, cache: declarations)
    let handlers = WebHandlers(registrySettings) { environment($0) }
    let browserLook = BrowserLook(handlers)
    let hadKey = try IdentityFile(folder).exists()
    let identity = try Identity.loadOrCreate(in: folder)
    var paired = try PinStore(folder: folder)
    StateLosses(hadKey: hadKey, paired, in: folder).tell(log)
    // A full disk is no reason not to start.
    if paired.wasMissing { try? paired.begin() }
    disk = DiskWriter(loop)
    let pins = Written(paired, disk)
    journal = JournalService(JournalFile(folder), loop: loop, log: log)
    let runner = EngineRunner(
      Engine(
        EngineSettings(settings, identity: identity), journal: journal.read(), at: .now),
      // Asked whenever the engine is, which is the loop's thread's as everything here is.
      clock: { [loop] in
        loop.checkThread()
        return .now
      })
    self.runner = runner
    let tell: (Event) -> Void = { [unowned runner] in runner.handle($0) }

    let registry = try reading.registry { log.notice("\($0)", cause: "registry") }
    applications = try ApplicationService(
      settings, registry, handlers, browserLook, folder: folder, disk: disk, log: log, tell: tell)
    let containers = try Containers(ContainerSettings(environment: { environment($0) })) {
      log.notice("\($0)", cause: "containers")
    }
    files = FileService(containers, time: settings.times.container, loop: loop, log: log) {
      guard let application = registry.application($0) else { return (nil, nil) }
      return (application.documentTypes[$1], application.viewerTypes[$1])
    }
    store = StoreService(loop, folder: settings.stateFolder, life: settings.times.storedCopy / 1000) {
      log.warning("\($0)", cause: "store")
    }
    link = LinkService(
      identity: identity, name: settings.deviceName, folder: folder, pins: pins, loop: loop, log: log)
    fetches = FetchService(link: link, loop: loop, log: log) { tell(.link($0)) }
    devices = DeviceService(
      pins: pins, link: link, own: identity.id, ownName: settings.deviceName, discovery: settings.discovery,
      notes: settings.notes, log: log, tell: tell)
    pairing = PairingService(link: link, devices: devices, tell: tell)
    discovery = DiscoveryService(systemBus, link: link, loop: loop) { tell(.discovery($0)) }
    bus = SessionBusService(
      address: settings.busAddress, names: [SegueAddress.daemonName, SegueAddress.controlName], loop: loop, log: log)
    let (bus, files, replies) = (bus, files, replies)
    notices = NoticeService(startTime: settings.times.noticeStart, tell: tell)
    browser = BrowserService(
      bus: { bus.connection }, handlers: handlers, programPath: registry.settings.programPath,
      time: settings.times.launch, loop: loop, log: log)
    associations = AssociationService(
      program: AssociationService.installed, folder: settings.cacheFolder + "/domains", disk: disk, loop: loop,
      log: log)
    door = DoorService(folder: settings.doorFolder, registry: registry, loop: loop, log: log, tell: tell)
    let (door, applications) = (door, applications)
    launcher = LaunchService(
      bus: { bus.connection }, door: { door.connection(of: $0) }, time: settings.times.launch, log: log, tell: tell)
    door.registered = { applications.came($0, $1, process: $2) }
    door.left = { applications.left($0) }
    streams = StreamService(link: link, door: door, loop: loop, tell: tell)
    let streams = streams
    transfers = FileTransferService(FileCache(FileCache.place), link: link, door: door, loop: loop, tell: tell)
    sharing = try SharingService(settings, disk: disk, loop: loop, log: log, tell: tell)
    let phones = PhoneService(runner: runner, replies: replies) { bus.connection }
    control = ControlService(
      runner: runner, replies: replies, applications: applications, devices: devices,
      associations: associations, browser: browser, sharing: sharing,
      phones: phones
    ) { door.refusals.table }
    surfaces = SurfaceService(runner: runner, phones: phones) { bus.identify($0, $1) }
    door.makeObject = {
      DoorObject(door: door, session: $0, files: files, streams: streams, replies: replies, tell: tell).object()
    }
    door.makeControl = { [control] session in
      control.object(
        withTitles: true, openers: { door.applications(above: session) }, holder: { _ in .session(session.number) }
      ) { invocation, body in
        session.isGreeted ? body() : invocation.fail(DoorObject.noHello)
      }
    }
    runner.perform = { [unowned self] in perform($0) }
    runner.rested = { [signals] in signals.tell() }
    signals.emit = { [unowned self] in emit($0) }
  }

  /// Writes down what was read of declarations, for the next start: when this one is over, which it would make longer.
  private func keepDeclarations() {
    guard let content = applications.registry.takeCacheContent() else { return }
    let cache = declarations
    disk.run({ () throws(SegueError) in try cache.write(content) }) { [log] (result: Result<Void, SegueError>) in
      guard case .failure(let error) = result else { return }
      log.notice("\(error.message) The next start reads all desktop files again.", cause: "registry")
    }
  }

  /// Runs until the names are lost to another daemon or the process is told to end. Throws why it could not begin.
  public func run(until signal: Int32) throws(SegueError) {
    let signals = try loop.watch(signal, .readable) { [self] _ in ended = .success(()) }
    devices.tellPaired()
    try sharing.start(loop)
    runner.handle(.associations(associations.load()))
    try applications.start(loop) { [door] in door.tellDocumentsChanged(of: $0) }
    runner.handle(.folders(files.ids))
    try files.start { [door, runner, files] in
      door.tellDocumentsChanged()
      runner.handle(.folders(files.ids))
    }
    store.onEmptied = { [runner] in runner.handle(.loaded([])) }
    loadStore()
    try link.start(listenOn: settings.listen) { [runner] in runner.handle(.link($0)) }
    devices.tellAddresses()
    if settings.discovery.isOn { discovery.open() }
    try door.open()
    bus.connect { [self] in busEvent($0) }
    sleepWatch = SleepWatch(systemBus) { [runner] in runner.handle(.woke) }
    screenWatch = ScreenWatch(systemBus) { [runner] in runner.handle(.locked($0)) }
    watchNetwork()
    while ended == nil { _ = loop.wait(milliseconds: -1) }
    signals.cancel()
    end()
    try ended?.get()
  }

  private func watchNetwork() {
    do throws(SegueError) {
      networkWatch = try NetworkWatch(loop) { [devices] in devices.tellAddresses() }
    } catch {
      log.notice("\(error.message)", cause: "network")
    }
  }

  /// The daemon accepts no client before it knows the copies that earlier runs have stored: an application's calls
  /// about its copies would not reach them. It waits for a disk that does not answer no longer than a fetch takes.
  private func loadStore() {
    var isLoaded = false
    store.load { [self] result in
      if case .failure(let error) = result { log.warning("\(error.message) \(error.advice)", cause: "store") }
      runner.handle(.loaded((try? result.get()) ?? []))
      isLoaded = true
    }
    let until = Instant.now + settings.times.fetch
    while !isLoaded, ended == nil, Instant.now < until {
      _ = loop.wait(milliseconds: Int32(clamping: Instant.now.time(until: until)))
    }
  }

  private func end() {
    runner.end()
    journal.close()
    // Callers that wait for the disk still get their outcome.
    disk.close()
    applications.stop()
    associations.close()
    files.stop()
    door.close()
    notices.close()
    surfaces.close()
    sleepWatch?.close()
    screenWatch?.close()
    sharing.close()
    networkWatch?.close()
    discovery.close()
    systemBus.close()
    streams.close()
    transfers.close()
    link.stop()
    store.close()
    // This comes last, after all that takes time: once the names are free, a client may have the next daemon started,
    // which would find the state directory locked.
    bus.close()
    loop.close()
  }

  // MARK: Events

  private func busEvent(_ event: SessionBusService.Event) {
    switch event {
    case .connected(let connection):
      notices.open(connection)
      connection.export(DaemonObject(door: door).object(), at: SegueAddress.daemonPath)
      let control = control.object(
        withTitles: false, holder: { [pairing] in pairing.holder($0) }
      ) { [bus] invocation, body in
        bus.identify(invocation) { caller in
          guard caller.mayControl else {
            return invocation.fail(
              SegueError(.accessDenied, "The control interface is not for sandboxed applications."))
          }
          body()
        }
      }
      connection.export(control, at: SegueAddress.controlPath)
      surfaces.open(connection)
      busControl = control
    case .named:
      log.debug("ready")
      runner.handle(.canLaunch)
      keepDeclarations()
    case .lost:
      notices.close()
      surfaces.close()
      pairing.callerLeft()
      busControl = nil
    case .ended(let error): ended = error.map { .failure($0) } ?? .success(())
    }
  }

  // MARK: Effects

  private func perform(_ effect: Effect) {
    switch effect {
    case .record(let state): journal.write(state)
    case .wake(let time):
      wake?.cancel()
      wake = time.map { time in loop.timer(at: time) { [self] in runner.handle(.time) } }
    case .reply(let request, let reply): replies.reply(request, reply, streams.pair(with: reply))
    case .send(let message, let device): link.send(message, to: device)
    case .fetch(let id, let request, let device): fetches.fetch(id, request, from: device)
    case .cancelFetch(let id): fetches.cancel(id)
    case .answerFetch(let channel, let answer):
      files.nameFiles(of: answer) { [fetches] in fetches.answer($0, on: channel) }
    case .askSave(let id, let activity, let request, let session): door.askSave(id, activity, request, session)
    case .endSave(let id): door.endSave(id)
    case .tellContinued(let session, let notice): door.tellContinued(session, notice)
    case .tellOffers(let session, let offers): door.tellOffers(session, offers)
    case .launch(let launch): launcher.launch(launch)
    case .localize(let id, let snapshot):
      files.localize(id, snapshot) { [runner] in runner.handle(.localized(continuation: id, $0)) }
    case .cancelLocalize(let id): files.cancel(id)
    case .openBrowser(let id, let page):
      browser.open(page) { [runner] in runner.handle(.browserOpened(continuation: id, $0)) }
    case .store(let id, let request): store.ask(request) { [runner] in runner.handle(.stored(id, $0)) }
    case .showNotice(let key, let notice): notices.show(key, notice)
    case .closeNotice(let key): notices.close(key)
    case .stream(let effect): streams.perform(effect)
    case .file(let effect): transfers.perform(effect)
    case .findFile(let activity, let file):
      files.find(file) { [runner] in runner.handle(.foundFile(activity, file, $0)) }
    case .pairing(let effect): pairing.perform(effect)
    case .discovery(let effect): discovery.perform(effect)
    case .redial: link.redial()
    case .learn(let device, let contact): devices.learn(device, contact)
    case .pin(let request, let introduction):
      devices.add(introduction) { [runner, replies] error in
        if let request { return replies.reply(request, error.map { .failed($0) } ?? .done) }
        if let error { runner.handle(.notPinned(introduction, error)) }
      }
    case .fetchAssociation(let domain):
      associations.fetch(domain) { [runner] in runner.handle(.association(domain, $0)) }
    case .keepAssociation(let stored): associations.keep(stored)
    case .forgetAssociation(let domain): associations.forget(domain)
    case .showText(let id, let token):
      surfaces.openWindow(with: id, activationToken: token) { [runner] in runner.handle(.textNotShown(id, $0)) }
    case .signal(let signal): signals.add(signal)
    case .log(let level, let text, let cause): log.say(level, text, cause: cause)
    }
  }

  /// Tells user interfaces what has changed, after everything that somebody waits for.
  private func emit(_ signals: [Effect.Signal]) {
    let objects = (busControl.map { [$0] } ?? []) + door.controls
    for signal in signals.map(\.control) {
      for object in objects { try? object.emit(SegueAddress.controlInterface, signal.name, signal.values) }
    }
    if signals.contains(.offersChanged) { surfaces.offersChanged() }
    if signals.contains(.devicesChanged) { surfaces.devicesChanged() }
  }
}
