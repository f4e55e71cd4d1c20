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

  /// Runs on the application's thread: now, or at the next dispatch. Not at all once it is closed.
  func onItsThread(_ body: @escaping @Sendable () -> Void) {
    if isItsThread {
      if !isClosed { body() }
    } else {
      later(body)
    }
  }

  /// Runs at the next dispatch, unless the application is closed by then. Any thread.
  func later(_ body: @escaping @Sendable () -> Void) {
    loop.post { [self] in if !isClosed { body() } }
  }

  /// As `later`, and the reference is released there. Once the application is closed, only released, at once.
  func afterwards(releasing retained: Unmanaged<Handle>, _ body: @escaping @Sendable () -> Void) {
    let isQueued = loop.post { [self] in
      if !isClosed { body() }
      retained.release()
    }
    // The application is gone, and its thread may be too.
    if !isQueued { retained.release() }
  }

  // MARK: The end

  /// Withdraws the offer, fails what is on its way, and closes both connections. Also inside a callback.
  func close() {
    guard !isClosed else { return }
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
    door?.close()
    door = nil
    bus?.close()
    bus = nil
    closePlugins()
    delegate = ApplicationDelegate()
    loop.close()
  }

  private static let closingError = SegueError(.applicationExited, "The application is closing.")

  /// A line for the developer: to the delegate, or to standard error where SEGUE_LOG is set, or to nobody.
  func log(_ line: String) {
    if let log = delegate.log {
      log(self, line)
    } else if getenv("SEGUE_LOG") != nil {
      let bytes = Array("segue: \(appID.string): \(line)\n".utf8)
      _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }
  }
}

/// C's handle on an application: when its last reference goes, the application closes.
public final class ApplicationHandle: Handle, @unchecked Sendable {
  public let application: Application

  public init(_ application: Application) {
    self.application = application
    super.init(kind: .application)
    application.handle = Unmanaged.passUnretained(self)
  }

  public override func abandoned(_ retained: Unmanaged<Handle>) {
    let end: @Sendable () -> Void = { [application] in
      application.handle = nil
      application.close()
      retained.release()
    }
    // It is to be dropped on its thread; elsewhere it would close connections that are in use.
    if application.isItsThread { end() } else if !application.loop.post(end) { retained.release() }
  }
}
