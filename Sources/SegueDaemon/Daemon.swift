import Logging
import SegueBus
import SegueControl
import SegueCore
import SegueLink
import SegueState

/// The per-user daemon: what the rooms below decide, wired to the session bus, the private door and the link.
///
/// Everything here runs on the main thread, in dispatches of one event loop; the link's events come over to it.
public final class Daemon {
  let settings: Settings
  let loop: EventLoop
  let log: Log
  let registry: Registry
  let containers: Containers
  /// Locked while this lives.
  let folder: StateFolder
  let pins: PinStore
  let identity: Identity

  // The session bus (SessionBus.swift).
  private(set) lazy var sessionBus = SessionBusService(
    address: settings.busAddress, names: [SegueAddress.daemonName, SegueAddress.controlName], loop: loop, log: log
  ) { [unowned self] event in busEvent(event) }
  var controls: [BusObject] = []
  /// How often each signal is sent.
  private var signals: [ControlSignal: Announcer] = [:]

  // The door (DoorServer.swift).
  var server: PeerServer?
  var door: DoorFolder?
  var tokens = DoorTokens()
  var sessions: [UInt64: Session] = [:]
  var sessionCount: UInt64 = 0
  /// Why applications were not registered, the newest last, for who asks why they offer nothing.
  var refusals: [(appID: AppID, error: SegueError)] = []

  // The origin's side (Offering.swift).
  var local: LocalOffers
  var announcer = Announcer()
  var announcementSequence: UInt64 = 0
  var graceTimer: LoopTimer?
  var saves = SaveRequests<FetchSource, SaveKey>()
  /// What waits for each save's answer, and for its end.
  var savesUnderWay: [SaveKey: (call: PendingReply, timer: LoopTimer)] = [:]

  // Who may continue what (Matching.swift).
  var rules: MatchRules
  var teams: Teams
  var defaults: Defaults

  // What is kept (Store).
  let store: Store
  var storeTimer: LoopTimer?
  var storeIdleTimer: LoopTimer?
  var snapshots: SnapshotPlan
  var snapshotTimer: LoopTimer?
  /// The activities of this device that have a snapshot in the store.
  var storedHere: Set<Identifier> = []
  var keeping: KeepPlan
  var keepTimers: [DeviceID: LoopTimer] = [:]
  /// What is kept of other devices' activities.
  var keptCopies: [StoredCopy.Key: StoredCopy] = [:]

  // The continuing side (Continuing.swift).
  var remote: RemoteOffers
  var remoteTimer: LoopTimer?
  var continuations: [Identifier: RunningContinuation] = [:]
  var fetches: [UInt64: OutgoingFetch] = [:]
  var fetchCount: UInt64 = 0
  /// The one that ended last (Timing.swift).
  var last: LastContinuation?
  /// The last failures by their ticket, the newest last, for a claim that was on its way.
  var failures: [(ticket: Identifier, session: UInt64, error: SegueError)] = []

  // Notifications (Notices/Noticing.swift).
  var notices: Notices
  var notificationServer: NotificationServer?

  // Files in containers (Localizing.swift). Each side has a thread: one that waits for a disk does not delay the other.
  let originFiles: FileWorker
  let arrivingFiles: FileWorker
  var fileWaits: [Identifier: FileWait] = [:]

  // What outlives the daemon (Recording.swift).
  var journal: WrittenJournal
  var hasResumed = false
  let startTime = Instant.now
  /// Fetches that wait for applications to come back.
  var returning: [ReturningFetch] = []

  // The link (Linking.swift).
  let link: LinkService
  // What waits for it after the start (FirstDials.swift). The callers' limits bound how much that is.
  var firstDials: FirstDials
  var waiting: [(isDue: () -> Bool, body: () -> Void)] = []

  // What the machine does (Services/SystemBus.swift).
  private let systemBus: SystemBus
  private var sleepWatch: SleepWatch?

  private var stopped: ((SegueError?) -> Void)?
  private var registryWatch: LoopWatch?
  private var containersWatch: LoopWatch?

  public init(settings: Settings, logger: Logger) throws(SegueError) {
    self.settings = settings
    local = LocalOffers(graceTime: settings.times.grace)
    notices = Notices(perMinute: settings.noticesPerMinute)
    remote = RemoteOffers(graceTime: settings.times.grace, outageTime: settings.times.fetch)
    defaults = try Defaults(readingFrom: settings.configFolder)
    rules = MatchRules(defaults: defaults.applications, allowsUserTeams: settings.policy.allowsUserTeams)
    snapshots = SnapshotPlan(interval: settings.times.snapshotInterval)
    keeping = KeepPlan(interval: settings.times.keepInterval)
    log = Log(logger)
    loop = try EventLoop()
    systemBus = SystemBus(loop: loop, log: log)
    originFiles = FileWorker(loop)
    arrivingFiles = FileWorker(loop)
    let log = log
    for note in settings.notes { log.notice("\(note)", cause: "settings") }
    store = Store(folder: settings.stateFolder, life: settings.times.storedCopy / 1000) {
      log.warning("\($0)", cause: "store")
    }
    registry = try Registry(RegistrySettings(environment: { environment($0) })) {
      log.notice("\($0)", cause: "registry")
    }
    containers = try Containers(ContainerSettings(environment: { environment($0) })) {
      log.notice("\($0)", cause: "containers")
    }
    try File.makeParents(of: settings.stateFolder)
    folder = try StateFolder(settings.stateFolder)
    identity = try Identity.loadOrCreate(in: folder)
    pins = try PinStore(folder: folder)
    link = LinkService(
      identity: identity, name: settings.deviceName, folder: folder, pins: pins, loop: loop, log: log)
    firstDials = FirstDials(
      pins.devices.map { $0.id }, now: Instant.now, time: settings.times.firstDials,
      outageTime: settings.times.fetch)
    teams = Teams(try TeamMemory(readingFrom: folder))
    journal = WrittenJournal(JournalFile(folder), log: log)
    store.changed = { [unowned self] in storedChanged() }
    readTeams()
  }

  /// Runs until the names are lost to another daemon or the process is told to end. Throws why it could not begin.
  public func run(until signal: Int32) throws(SegueError) {
    var ended = false
    var failure: SegueError?
    stopped = {
      failure = $0
      ended = true
    }
    let signals = try loop.watch(signal, .readable) { [self] _ in stop(nil) }
    restoreCopies()
    try link.start(listenOn: settings.listen) { [self] event in linkEvent(event) }
    try openDoor()
    registryWatch = try loop.watch(registry.descriptor, .readable) { [self] _ in registry.process() }
    containersWatch = try loop.watch(containers.descriptor, .readable) { [self] _ in containers.process() }
    registry.onChange = { [self] changed in
      readTeams()
      offersChanged()
      documentsChanged(of: changed)
    }
    containers.onChange = { [self] in documentsChanged() }
    sessionBus.connect()
    // The network may be another one after a sleep, and the other devices have waited.
    sleepWatch = SleepWatch(systemBus) { [self] in link.redial() }
    while !ended { _ = loop.wait(milliseconds: -1) }
    signals.cancel()
    end()
    if let failure { throw failure }
  }

  /// Ends `run`; with an error where it could not do its work.
  func stop(_ error: SegueError?) {
    stopped?(error)
    stopped = nil
  }

  private func end() {
    registryWatch?.cancel()
    containersWatch?.cancel()
    for session in sessions.values {
      session.connection.setDisconnected(nil)
      session.connection.close()
    }
    sessions = [:]
    closeDoor()
    closeNotices()
    sleepWatch?.close()
    systemBus.close()
    link.stop()
    // Last of all that takes time: once the names are free, somebody may have the next daemon started, which would find
    // the state folder locked.
    sessionBus.close()
    loop.close()
  }

  /// The user interfaces look again.
  func offersChanged() {
    announce(.offers, .changed)
    noticeOffers()
  }
  func storedChanged() { announce(.stored, .changed) }
  func devicesChanged() { announce(.devices, .changed) }

  /// However many changes, so many signals: what has changed is asked for anyway.
  private func announce(_ signal: ControlSignal, _ event: Announcer.Event) {
    for effect in signals[signal, default: Announcer()].handle(event, now: Instant.now) {
      switch effect {
      case .announce:
        emitControl(signal)
        tellFollowers()
      case .wake(let time): loop.timer(at: time) { [self] in announce(signal, .timer) }
      }
    }
  }

  func emitControl(_ signal: ControlSignal) {
    for control in controls { try? control.emit(SegueAddress.controlInterface, signal.name, signal.values) }
  }
}
