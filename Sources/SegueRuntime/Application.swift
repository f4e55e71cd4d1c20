import CLinux
import SegueBus
import SegueCore
import Synchronization

/// The application inside its own process: its delegate, its place in the main loop, its way to the bus and the daemon.
///
/// Everything here belongs to the thread that made it, unless it says otherwise. C holds an `ApplicationHandle`, not
/// this object: activities and responders keep the object alive, while the handle's end closes it.
public final class Application: @unchecked Sendable {
  public let appID: AppID
  /// The app id for C, borrowed as long as the application lives.
  public let appIDText: CText
  public var delegate = ApplicationDelegate() {
    didSet { if delegate.offersChanged != nil { _ = followOffers() } }
  }

  let loop: EventLoop
  let busAddress: String?
  let ownsAppID: Bool
  private let thread: pthread_t
  private let forkGeneration: UInt32
  /// Read from every thread; set once, on the application's.
  private let closed = Atomic<Bool>(false)
  private var isDispatching = false
  private let isQuitting = Atomic<Bool>(false)

  // Registration (Registration.swift).
  var registration = RegistrationMachine()
  var bus: Connection?
  var retryTimer: LoopTimer?
  var daemonWatch: NameWatch?
  /// While another process has our name.
  var nameWatch: NameWatch?
  var daemonOwner: BusName?
  var daemonOwnerIsKnown = false
  /// The way to the door, as long as it is not open.
  var doorOpening: DoorOpening?
  var door: Door?
  /// The daemon that the door leads to.
  var doorOwner: BusName?

  // The current activity (Current.swift).
  public internal(set) var focus = FocusMachine<Activity>()
  var focusNumber: UInt64 = 0
  /// By number; those that C holds.
  var responders: [UInt64: Unmanaged<Responder>] = [:]
  var windows: [UInt64: Unmanaged<Window>] = [:]
  var currentReason = FocusMachine<Activity>.Reason.none
  var current: Activity? {
    didSet {
      oldValue?.markCurrent(false)
      current?.markCurrent(true)
    }
  }

  // Offering (Offering.swift).
  /// Those that were on offer and may be asked for: current, or resigned and still held by their owner.
  var offered: [Identifier: Activity] = [:]
  var sentOffer: DoorActivity?
  /// When the activity of `sentOffer` expires.
  var sentDeadline: Instant?
  var expiryTimer: LoopTimer?
  /// Those of `offered` whose dates the daemon has not heard.
  var untoldExpiries: Set<Identifier> = []
  let offerCheck = Lock()
  var offerCheckIsDue = false
  var saveCalls: [UInt64: Invocation] = [:]
  var saveCallCount: UInt64 = 0
  var warnedTypes: Set<ActivityType> = []

  // Deleting (Deleting.swift), in the order in which they were asked for.
  var deletions: [Deletion] = []

  // Offers that it may continue (Following.swift).
  var followed = FollowedOffers()
  /// In the order in which they were made.
  var choices: [OfferChoice] = []

  // Documents (Document.swift).
  var documents: [Document] = []
  /// Those about whom the daemon is still to be asked.
  var askingDocuments: [Document] = []
  var isAskingDocument = false

  // Plugins (Plugins/).
  var plugins: [PluginID: Plugin] = [:]
  /// Their code runs for the first time.
  var loadingPlugins: Set<PluginID> = []
  /// By their numbers as responders; those that the plugin has not destroyed.
  var pluginObjects: [UInt64: Unmanaged<PluginObject>] = [:]

  // Continuing (Delivering.swift).
  var isReady = false
  var deliveries: [Delivery] = []
  /// The last ones that have ended, the newest last.
  var pastDeliveries: [Delivery] = []
  /// Continuations of our activities that the daemon has told of, the newest last.
  var heardContinuations: [Identifier] = []

  /// What the developer is to be told (Logging.swift).
  let lines = LogLines()

  /// Begins to register; nothing here waits.
  public convenience init(appID: AppID, busAddress: String?, ownsAppID: Bool) throws(SegueError) {
    self.init(appID, busAddress, ownsAppID, try EventLoop())
  }

  private init(_ appID: AppID, _ busAddress: String?, _ ownsAppID: Bool, _ loop: EventLoop) {
    self.appID = appID
    appIDText = CText(appID.string)
    self.busAddress = busAddress
    self.ownsAppID = ownsAppID
    self.loop = loop
    thread = pthread_self()
    forkGeneration = segue_fork_generation()
    loop.later { [self] in register(.start) }
  }

  public var status: RegistrationMachine.Status { registration.status }
  public var currentActivity: Activity? { current }

  // MARK: C's handle

  /// The handle that C made; it is not kept alive by this, and forgotten when C drops its last reference.
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

  /// Whether `trouble(onItsThread: true)` has none, for calls that are made very often.
  @inline(__always)
  public var isReadyForCalls: Bool {
    segue_fork_generation() == forkGeneration && isItsThread && !isClosed
  }

  /// Any thread.
  var isItsThread: Bool { pthread_self() == thread }

  /// Any thread.
  public var isClosed: Bool { closed.load(ordering: .acquiring) }

  // MARK: The main loop

  public var descriptor: Int32 { loop.descriptor }

  /// Nil inside a callback.
  public func dispatch() -> Int? {
    guard !isDispatching else { return nil }
    isDispatching = true
    defer { isDispatching = false }
    return loop.dispatch()
  }

  /// Waits, -1 for ever, and dispatches; nil inside a callback.
  public func wait(milliseconds: Int32) -> Int? {
    guard !isDispatching else { return nil }
    isDispatching = true
    defer { isDispatching = false }
    return loop.wait(milliseconds: milliseconds)
  }

  /// Until quit; false inside a callback.
  public func run() -> Bool {
    guard !isDispatching else { return false }
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

  // What is queued is held by the thread that queues it, too, which may let go of it last. So it holds unmanaged
  // references, and releases them itself: an object ends, and its userdata is freed, on the application's thread.

  /// Calls `body` once, on the application's thread: at the next dispatch, or while the application closes. Where it
  /// has closed, and its thread may be gone, here. Besides the application `body` holds unmanaged references only, and
  /// releases what it owns. Any thread.
  func hand(_ body: @escaping @Sendable (_ isOpen: Bool) -> Void) {
    if !loop.post({ [self] in body(!isClosed) }) { body(false) }
  }

  /// Runs at the next dispatch, unless the application is closed by then. `body` holds the application at the most. Any
  /// thread.
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

  /// Runs on the application's thread: now, or as `later` does. Not at all once it is closed.
  func onItsThread<Object: Handle>(with object: Object, _ body: @escaping @Sendable (Object) -> Void) {
    guard isItsThread else { return later(with: object, body) }
    if !isClosed { body(object) }
  }

  /// C has dropped an object's last reference. What follows from that does so at once on the application's thread, from
  /// another one at the next dispatch. The reference is let go at a dispatch in either case, since the object may be in
  /// the middle of a callback. Any thread.
  func takeBack(_ reference: Unmanaged<Handle>) {
    let isHere = isItsThread
    if isHere, !isClosed { Self.abandon(reference) }
    hand { isOpen in
      if isOpen, !isHere { Self.abandon(reference) }
      reference.release()
    }
  }

  /// Unless C has got a reference again meanwhile.
  private static func abandon(_ reference: Unmanaged<Handle>) {
    let handle = reference.takeUnretainedValue()
    if !handle.isHeld { handle.abandoned() }
  }

  // MARK: The end

  /// Withdraws the offer, fails what is on its way, and closes both connections. Also inside a callback.
  func close() {
    guard !isClosed else { return }
    // The delegate is called no more.
    if delegate.log == nil { tellLines() }
    if let current { door?.resign(current.id) }
    for delivery in deliveries { delivery.handle(.closed) }
    closed.store(true, ordering: .releasing)
    deliveries = []
    pastDeliveries = []
    for invocation in saveCalls.values { invocation.fail(Self.closingError) }
    saveCalls = [:]
    closeFocus()
    current = nil
    for activity in offered.values {
      activity.delegate = ActivityDelegate()
    }
    offered = [:]
    abandonDeletions()
    abandonOffers()
    documents = []
    forgetQuestions()
    retryTimer?.cancel()
    retryTimer = nil
    expiryTimer?.cancel()
    expiryTimer = nil
    daemonWatch?.cancel()
    daemonWatch = nil
    nameWatch?.cancel()
    nameWatch = nil
    doorOpening?.cancel()
    doorOpening = nil
    door?.close()
    door = nil
    bus?.close()
    bus = nil
    closePlugins()
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
