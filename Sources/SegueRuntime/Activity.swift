import SegueBus
import SegueClient
import SegueCore
import Synchronization

/// An activity: the user's work in the application. Attributes may be set and read from any thread; life and delegate
/// belong to the application's thread.
public final class Activity: Handle, @unchecked Sendable {
  public let application: Application
  public let type: ActivityType
  public let id: Identifier
  /// The continuation that brought it; nil for an activity that the application made.
  let continuation: Identifier?
  /// The stored state that it was made from, for an activity of an earlier run (semantics C17).
  public let restored: Restored?
  /// The type for C, borrowed as long as the activity lives.
  public let typeText: CText

  /// What is known of a stored state beside what it holds.
  public struct Restored: Sendable {
    /// The activity of the earlier run.
    let id: Identifier
    /// When it was stored, by this machine's clock: an age in milliseconds at an instant.
    let age: UInt64
    let since: Instant
    /// The version of the type that the application stated then; 0: none.
    public let version: UInt64

    /// Milliseconds since the state was saved.
    public var ageNow: UInt64 { age &+ Instant.now.time(since: since) }
  }

  struct Content: Sendable {
    var attributes = ActivityAttributes()
    /// The keys of userInfo whose entries never leave this device.
    var deviceKeys = Set<Value>()
    /// The file URLs of the state that was last given to another device.
    var givenFiles: [String] = []
    var isInvalid = false
    /// Written by the application alone; kept here so that every thread may read it.
    var isCurrent = false
    /// When it expires.
    var deadline: Instant?
    var history = ActivityHistory()
    var saving = SaveMachine<SaveRequest>()
    var saveReason = SaveReason.none
    /// Set while was_continued runs.
    var wasContinuedInBrowser = false
  }

  private let lock = Lock()
  private var content: Content
  /// Whether the last change marked it as in need of a save: marking it again changes nothing. Set under the lock, read
  /// without it.
  private let isMarked = Atomic<Bool>(false)
  /// Whether `setNeedsSave(true)` would do nothing.
  @inline(__always)
  final var isMarkedAlready: Bool { isMarked.load(ordering: .sequentiallyConsistent) }

  // The application's thread.
  public var delegate = ActivityDelegate()
  /// In order of registration (semantics S10).
  var responders: [Responder] = []
  /// Whether it is on offer, or was: the save round before the first offer does not run again (semantics S8 b).
  var wasOffered = false

  /// `external` is 0 for an activity that the library makes for a continuation.
  init(
    application: Application, type: ActivityType, content: Content = Content(), continuation: Identifier? = nil,
    restored: Restored? = nil, external: Int
  ) {
    self.application = application
    self.type = type
    typeText = CText(type.string)
    self.content = content
    self.continuation = continuation
    self.restored = restored
    id = .random()
    super.init(kind: .activity, external: external)
  }

  /// Makes an activity for the application's own use, the caller's reference included.
  public convenience init(application: Application, type: ActivityType) {
    self.init(application: application, type: type, external: 1)
  }

  public override var home: Application? { application }

  public override func abandoned() { application.focus.dropIfAbandoned(self) }

  // MARK: Reading and changing, any thread

  /// A snapshot of all of it: the values of one call belong together (semantics S7).
  var now: Content { lock.withLock { content } }

  /// The activity of an earlier run whose state this one was made from.
  var restoredFrom: Identifier? { restored?.id }

  public var attributes: ActivityAttributes { now.attributes }
  public var title: String? { now.attributes.title }
  public var webpageURL: String? { now.attributes.webpageURL }
  public var userInfo: [Value: Value] { now.attributes.userInfo }
  public var isInvalid: Bool { now.isInvalid }
  public var revision: UInt64 { now.history.revision }
  /// The activity that it continues, until its first change (semantics V15).
  public var continuedFrom: ActivityReference? { now.history.continuedFrom }
  public var needsSave: Bool { now.saving.needsSave }
  public var isCurrent: Bool { now.isCurrent }
  /// Why the save callbacks run.
  public var saveReason: SaveReason { now.saveReason }
  /// In was_continued: whether a browser, which shows the web page, continued it.
  public var wasContinuedInBrowser: Bool { now.wasContinuedInBrowser }
  var hasExpired: Bool { now.deadline.map { $0 <= .now } ?? false }

  /// Changes the attributes; `body` returns whether that changes the state, which may change the offer too.
  func change(_ body: (inout ActivityAttributes) throws(SegueError) -> Bool) throws(SegueError) {
    // Changes by another thread do not belong to a round.
    let inCallback = application.isItsThread
    let offerDiffers = try changeContent { content throws(SegueError) in
      try body(&content.attributes) && content.history.contentChanged(inCallback: inCallback)
    }
    if offerDiffers { application.offering.mayHaveChanged() }
  }

  /// Throws `invalidated`, with nothing changed, once the activity has ended (semantics C11).
  func changeContent<T>(_ body: (inout Content) throws(SegueError) -> T) throws(SegueError) -> T {
    try lock.withLock { () throws(SegueError) in
      isMarked.store(false, ordering: .sequentiallyConsistent)
      guard !content.isInvalid else { throw SegueError(.invalidated, "The activity was invalidated.") }
      return try body(&content)
    }
  }

  /// Marks the state as changed. It is cheap, for every change (semantics S1): it causes no save by itself.
  public func setNeedsSave(_ needed: Bool) throws(SegueError) {
    if needed, isMarkedAlready { return }
    let offerDiffers = try changeContent { content throws(SegueError) in
      _ = content.saving.handle(.needsSave(needed))
      let offerDiffers = needed && content.history.stateChanged()
      isMarked.store(needed, ordering: .sequentiallyConsistent)
      return offerDiffers
    }
    if offerDiffers { application.offering.mayHaveChanged() }
  }

  /// Requests a round although nothing has been done with the activity: userInfo does not hold all of it yet, or what it
  /// holds grows old by itself, as the position of a film that plays. An activity that was continued elsewhere stays so.
  public func needsRound() {
    update { _ = $0.saving.handle(.needsSave(true)) }
  }

  /// Keeps entries of these keys on this device, until userInfo is next made anew.
  func keepHere(_ keys: Set<Value>) {
    if !keys.isEmpty { update { $0.deviceKeys.formUnion(keys) } }
  }

  // MARK: The application's thread

  /// The same as `changeContent`, whether the activity has ended or not.
  func update<T>(_ body: (inout Content) -> T) -> T {
    lock.withLock {
      isMarked.store(false, ordering: .sequentiallyConsistent)
      return body(&content)
    }
  }

  /// For an activity that came from another device: notes whether its objects are still restoring.
  func restoring(_ isRestoring: Bool) {
    update { content in
      _ = content.saving.handle(.restoring(isRestoring))
      content.history.restoring(isRestoring)
    }
  }

  /// Notes whether it is the application's current activity.
  func markCurrent(_ isCurrent: Bool) { update { $0.isCurrent = isCurrent } }

  /// Ends it for good; false if it had ended before.
  func markInvalid() -> Bool {
    update { content in
      defer { content.isInvalid = true }
      return !content.isInvalid
    }
  }
}
