import CLinux
import SegueBus
import SegueClient
import SegueCore
import Synchronization

/// The application inside its own process: its delegate, its place in the main loop, and the wiring of its parts.
///
/// Everything here belongs to the thread that made it or adopted it last, unless it says otherwise. C holds an `ApplicationHandle`, not
/// this object: activities and responders keep the object alive, while the handle's end closes it.
public final class Application: @unchecked Sendable {
  public let appID: AppID
  /// The app id for C, borrowed as long as the application lives.
  public let appIDText: CText
  public var delegate = ApplicationDelegate() {
    didSet { if delegate.offersChanged != nil { _ = followOffers() } }
  }

  /// The bus's address; nil for the session bus.
  let busAddress: String?
  /// Whether the app id itself is the library's name on the bus too.
  let ownsAppID: Bool
  let loop: EventLoop
  private let thread = ApplicationThread()
  private let forkGeneration: UInt32
  /// Read from every thread; set once, on the application's.
  private let closed = Atomic<Bool>(false)
  /// Read by a thread that wants to adopt the application.
  private let isDispatching = Atomic<Bool>(false)
  private let isQuitting = Atomic<Bool>(false)
  private let lines = LogLines()
  /// Whether the program is in `run`, and so has no loop of its own.
  private var isRunning = false
  private var warned: Set<Warning> = []

  // Its parts: each has state of its own, and calls the others' methods. They live as long as the application, which
  // they do not retain. All are made before the application is handed out, since every thread may call some of them.
  private(set) lazy var registration = Registration(self)
  private(set) lazy var focus = Focus(self)
  private(set) lazy var offering = Offering(self)
  private(set) lazy var saving = Saving(self)
  private(set) lazy var arrivals = Arrivals(self)
  private(set) lazy var documents = Documents(self)
  private(set) lazy var followedFiles = FollowedFiles(self)
  private(set) lazy var deletions = Deletions(self)
  private(set) lazy var offers = FollowedOffers(self)
  private(set) lazy var states = StateRequests(self)
  private(set) lazy var streams = StreamRequests(self)
  private(set) lazy var files = BroughtFiles(self)
  let plugins = LoadedPlugins()

  /// Begins to register, without waiting.
  public convenience init(appID: AppID, busAddress: String?, ownsAppID: Bool) throws(SegueError) {
    self.init(appID, busAddress, ownsAppID, try EventLoop())
  }

  private init(_ appID: AppID, _ busAddress: String?, _ ownsAppID: Bool, _ loop: EventLoop) {
    self.appID = appID
    appIDText = CText(appID.string)
    self.busAddress = busAddress
    self.ownsAppID = ownsAppID
    self.loop = loop
    forkGeneration = segue_fork_generation()
    _ = (registration, focus, offering, saving, arrivals, documents, followedFiles, deletions, offers)
    _ = (states, streams, files)
    loop.later { [self] in registration.handle(.start) }
  }

  // MARK: C's handle

  /// The handle that C made; this does not keep it alive, and forgets it when C drops its last reference.
  fileprivate var handle: Unmanaged<ApplicationHandle>?

  /// Runs a callback of C's with the application's handle, alive for the call; gives `absent` where C dropped it.
  public func withHandle<T>(_ absent: T, _ body: (ApplicationHandle) -> T) -> T {
    guard let handle = handle?.takeUnretainedValue() else { return absent }
    return body(handle)
  }

  // MARK: Guards

  public enum Trouble {
    case afterFork
    case wrongThread
    case closed
  }

  /// Why a call may not go on; nil if it may.
  public func trouble(onItsThread: Bool) -> Trouble? {
    guard segue_fork_generation() == forkGeneration else { return .afterFork }
    guard !onItsThread || isItsThread else { return .wrongThread }
    return isClosed ? .closed : nil
  }

  /// Whether `trouble(onItsThread: true)` is nil, for calls that are made very often.
  @inline(__always)
  public var isReadyForCalls: Bool {
    segue_fork_generation() == forkGeneration && isItsThread && !isClosed
  }

  /// Any thread; `ApplicationThread.isCurrent`.
  @inline(__always)
  var isItsThread: Bool { thread.isCurrent }

  /// Runs `body` on the application's thread: nil on another one. Any thread.
  func ifOnItsThread<T>(_ body: () -> T) -> T? { thread.ifCurrent(body) }

  /// Runs `body` on the application's thread while the application is open. Returns false on another thread. Any thread.
  func actsAtOnce(_ body: () -> Void) -> Bool {
    ifOnItsThread {
      if !isClosed { body() }
      return true
    } ?? false
  }

  /// Makes the calling thread its thread. The caller sees to it that no other one is in a call that belongs to that;
  /// false while another thread dispatches, waits or runs.
  public func adoptThread() -> Bool {
    guard !isDispatching.load(ordering: .acquiring) else { return isItsThread }
    thread.adopt()
    loop.adoptThread()
    return true
  }

  /// Any thread.
  public var isClosed: Bool { closed.load(ordering: .acquiring) }

  // MARK: The main loop

  public var descriptor: Int32 { loop.descriptor }

  /// Nil inside a callback.
  public func dispatch() -> Int? {
    dispatching { loop.dispatch() }
  }

  /// Waits, -1 for ever, and dispatches; nil inside a callback.
  public func wait(milliseconds: Int32) -> Int? {
    dispatching { loop.wait(milliseconds: milliseconds) }
  }

  private func dispatching(_ body: () -> Int) -> Int? {
    guard !isDispatching.load(ordering: .relaxed) else { return nil }
    isDispatching.store(true, ordering: .releasing)
    defer { isDispatching.store(false, ordering: .releasing) }
    return body()
  }

  /// Until quit; false inside a callback.
  public func run() -> Bool {
    guard !isDispatching.load(ordering: .relaxed) else { return false }
    isRunning = true
    defer { isRunning = false }
    while !isQuitting.load(ordering: .acquiring), !isClosed { _ = wait(milliseconds: -1) }
    isQuitting.store(false, ordering: .releasing)
    return true
  }

  /// Any thread.
  public func quit() {
    isQuitting.store(true, ordering: .releasing)
    loop.wake()
  }

  /// Any thread.
  public func wake() { loop.wake() }

  // MARK: Crossing threads

  // The thread that queues a body retains it too, and may release it last. So a body holds unmanaged references, and
  // releases them itself: an object ends, and its userdata is freed, on the application's thread.

  /// Calls `body` once, on the application's thread: at the next dispatch, or while the application closes. If it has
  /// closed, and its thread may be gone, `body` runs in this call. It may hold the application and otherwise only
  /// unmanaged references, and releases those that it owns. Any thread.
  func hand(_ body: @escaping @Sendable (_ isOpen: Bool) -> Void) {
    if !loop.post({ [self] in body(!isClosed) }) { body(false) }
  }

  /// Runs at the next dispatch, unless the application is closed by then. `body` holds the application, or parts of it,
  /// at the most. Any thread.
  func later(_ body: @escaping @Sendable () -> Void) {
    hand { isOpen in if isOpen { body() } }
  }

  /// The same with an object, which lives until then.
  func later<Object: Handle>(with object: Object, _ body: @escaping @Sendable (Object) -> Void) {
    let reference = Unmanaged.passRetained(object)
    hand { isOpen in
      if isOpen { body(reference.takeUnretainedValue()) }
      reference.release()
    }
  }

  /// Runs `body` on the application's thread: now, or as `later` does. It does not run once the application is closed.
  func onItsThread<Object: Handle>(with object: Object, _ body: @escaping @Sendable (Object) -> Void) {
    if !actsAtOnce({ body(object) }) { later(with: object, body) }
  }

  /// Handles the drop of an object's last reference by C: the consequences take effect at once on the application's
  /// thread, from another one at the next dispatch. The reference is released at a dispatch in either case, since the
  /// object may be in the middle of a callback. Any thread.
  func takeBack(_ reference: Unmanaged<Handle>) {
    let isHere = actsAtOnce { Self.abandon(reference) }
    hand { isOpen in
      if isOpen, !isHere { Self.abandon(reference) }
      reference.release()
    }
  }

  /// Abandons the object, unless C has got a reference again meanwhile.
  private static func abandon(_ reference: Unmanaged<Handle>) {
    let handle = reference.takeUnretainedValue()
    if !handle.isHeld { handle.abandoned() }
  }

  // MARK: Calls of the application

  /// Says that the application's windows can be made: the continuations that launched it begin.
  public func ready() { arrivals.handle(.ready) }

  /// The type of the activity whose continuation waits for `ready`, for which the application was launched; of several,
  /// the one that came first. Nil where none waits.
  public var launchType: ActivityType? { arrivals.launchType }

  public var status: RegistrationMachine.Status { registration.status }

  /// Whether a line of the log says only that the application is not registered.
  public static func isAboutRegistration(_ line: String) -> Bool { line.begins(with: Registration.missed) }

  public var currentActivity: Activity? { focus.activity }

  /// Which activity is current, and why.
  public var currentExplained: (activity: Activity?, reason: FocusMachine<Activity>.Reason) { focus.explained }

  /// Why that activity is current, in a sentence.
  public var explanationOfCurrent: String { focus.explanation }

  /// Makes it current by itself, whatever has the focus (semantics C9, R6).
  public func makeCurrent(_ activity: Activity) { focus.makeCurrent(activity) }

  /// Takes it off offer (semantics C10).
  public func resign(_ activity: Activity) { focus.resign(activity) }

  /// Ends it for good (semantics C10).
  public func invalidate(_ activity: Activity) { focus.invalidate(activity) }

  /// Says which window the user works in; nil: none of the application's.
  public func setMainWindow(_ window: Window?) { focus.tell(.mainWindow(window?.number)) }

  /// Deletes stored copies by their persistent identifiers, or all of this application's; `Deletions.begin`.
  public func deleteSaved(_ ids: [String]?, _ completion: @escaping (SegueError?) -> Void) throws(SegueError) {
    try deletions.begin(ids, completion)
  }

  /// Asks for the states that an earlier run stored (semantics C17); `StateRequests.begin`.
  public func lastStates(
    _ type: ActivityType?, _ target: String?, maximum: Int,
    _ completion: @escaping (Result<[Activity], SegueError>) -> Void
  ) throws(SegueError) { try states.begin(type, target, maximum: maximum, completion) }

  /// The offers that the application may continue now. The daemon sends them from the first call on, which therefore
  /// gives none.
  public func followOffers() -> [OfferHandle] { offers.follow() }

  /// Continues an offer that the user has chosen; `FollowedOffers.choose`.
  public func choose(
    _ offer: OfferHandle, activationToken: String?, _ completion: @escaping (SegueError?) -> Void
  ) throws(SegueError) {
    try offers.choose(offer, activationToken: activationToken, completion)
  }

  /// Asks for streams to the application that an activity was continued from; `Streams.request`.
  public func requestStreams(
    for activity: Activity, _ completion: @escaping (Result<StreamPair, SegueError>) -> Void
  ) throws(SegueError) { try streams.request(for: activity, completion) }

  /// Brings a file to which the userInfo of an activity has a URL; `BroughtFiles.bring`.
  public func bringFile(
    _ url: String, of activity: Activity, _ progress: ((Activity, UInt64, UInt64) -> Void)?,
    _ completion: @escaping (Result<BroughtFile, SegueError>) -> Void
  ) throws(SegueError) { try files.bring(url, of: activity, progress, completion) }

  /// Cancels a file; returns whether it was on its way.
  public func cancelFile(_ url: String, of activity: Activity) -> Bool { files.cancel(url, of: activity) }

  // MARK: Events of the parts

  /// Called when the door is open: every part sends the daemon its state.
  func doorOpened(to owner: BusName?) {
    offering.doorOpened()
    deletions.send()
    states.send()
    offers.ask()
    documents.doubt()
    arrivals.handle(.doorOpened(owner))
  }

  func doorLost() {
    offering.doorLost()
    documents.forgetRequests()
    arrivals.handle(.doorLost)
    offers.doorLost()
    streams.doorLost()
  }

  /// Writes a line for the developer: to the delegate, or to standard error if SEGUE_LOG is set, or nowhere. It is
  /// written at the next dispatch, since this may be inside a call of the application's, or of a plugin's. Any thread.
  func log(_ line: String) {
    if lines.add(line) { later { [self] in tellLines() } }
  }

  /// Obstacles to taking part, each of which a program in a terminal prints once.
  enum Warning {
    case notRegistered, notReady
  }

  /// Writes a line for a developer who may not know yet how to see the log: if the program is in `run` and standard
  /// error is a terminal, the first line of a kind is printed there.
  func warn(_ line: String, _ warning: Warning) {
    log(line)
    guard isRunning, delegate.log == nil, getenv("SEGUE_LOG") == nil, isatty(2) == 1, warned.insert(warning).inserted
    else { return }
    show(line)
  }

  private func show(_ line: String) {
    let bytes = Array("segue: \(appID.string): \(line)\n".utf8)
    _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  }

  private func tellLines() {
    for line in lines.take() where !isClosed {
      if let log = delegate.log {
        log(self, line)
      } else if getenv("SEGUE_LOG") != nil {
        show(line)
      }
    }
  }

  // MARK: The end

  /// Withdraws the offer, fails the requests under way, and closes both connections. Also inside a callback.
  func close() {
    guard !isClosed else { return }
    // The delegate is not called any more.
    if delegate.log == nil { tellLines() }
    if let current = focus.activity { registration.door?.resign(current.id) }
    arrivals.handle(.closed)
    closed.store(true, ordering: .releasing)
    arrivals.close()
    saving.close(Self.closingError)
    focus.close()
    offering.close()
    deletions.close()
    states.close()
    offers.close()
    streams.close()
    files.close()
    documents.close()
    followedFiles.close()
    registration.close()
    plugins.close()
    delegate = ApplicationDelegate()
    loop.close()
  }

  private static let closingError = SegueError(.applicationExited, "The application is closing.")
}

/// C's handle on an application: when its last reference goes, the application closes.
public final class ApplicationHandle: Handle, @unchecked Sendable {
  public let application: Application

  public init(_ application: Application) {
    self.application = application
    super.init(kind: .application)
    application.handle = Unmanaged.passUnretained(self)
  }

  public override var home: Application? { application }

  public override func abandoned() {
    application.handle = nil
    application.close()
  }
}
