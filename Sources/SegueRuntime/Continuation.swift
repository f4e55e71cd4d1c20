import SegueBus
import SegueCore

/// What is coming: a continuation as the application sees it.
public final class Continuation: Handle, @unchecked Sendable {
  /// The same on every device and over all its tickets.
  public let id: Identifier
  public let typeText: CText
  public let titleText: CText
  public let deviceNameText: CText
  public let activationTokenText: CText
  let deadline: Instant

  /// Of which moment the state is.
  private struct Source {
    var isStored: Bool
    /// Milliseconds at that time; nil where it is not known.
    var age: UInt64?
    var time = Instant.now
  }

  private let lock = Lock()
  private var source: Source

  /// What the daemon says is what was on offer.
  init(_ info: DoorBegin, activationToken: String) {
    id = info.continuation
    source = Source(isStored: info.isStored, age: info.storedAge)
    typeText = CText(info.type.string)
    titleText = CText(info.title)
    deviceNameText = CText(info.deviceName)
    activationTokenText = CText(activationToken)
    deadline = Instant.now + min(info.timeLeft, Limits.ticketTime)
    super.init(kind: .continuation, external: 0)
  }

  /// The state is here: what it is may differ from what was on offer, where its application has gone since.
  func arrived(_ snapshot: Snapshot) {
    let arrived = Source(isStored: snapshot.isStored, age: snapshot.isStored ? snapshot.age : 0)
    lock.withLock { source = arrived }
  }

  /// The state is that of an earlier moment, since nobody could be asked for it.
  public var isStored: Bool { lock.withLock { source.isStored } }

  /// Milliseconds since the state was saved; nil while that is not known.
  public var age: UInt64? {
    let source = lock.withLock { self.source }
    return source.age.map { $0 &+ Instant.now.time(since: source.time) }
  }

  /// Milliseconds until did_fail comes at the latest.
  public var timeLeft: UInt64 { Instant.now.time(until: deadline) }
}

/// The restoration handler: says which objects restore (semantics V6), or that nothing can. Any thread, once.
public final class Restoration: Handle, @unchecked Sendable {
  public let application: Application
  public let continuation: Continuation
  /// The window that the activity goes to, by its number. The application's thread.
  var windowNumber: UInt64?
  public var window: Window? { windowNumber.flatMap { application.focus.window($0) } }
  private let lock = Lock()
  /// What was handed over and not restored yet, or that nothing can be restored.
  private var outcome: Outcome?
  private var wasCalled = false
  private var continueHasReturned = false
  /// What to do with it; the delivery's, on the application's thread.
  private var body: ((Outcome) -> Void)?

  enum Outcome {
    case restore([Responder])
    case failure
  }

  init(application: Application, _ continuation: Continuation, _ body: @escaping (Outcome) -> Void) {
    self.application = application
    self.continuation = continuation
    self.body = body
    super.init(kind: .restoration, external: 0)
  }

  /// False if it was called before. Called inside continue, it takes effect when that has returned.
  public func restore(_ responders: [Responder]) -> Bool { end(.restore(responders)) }

  /// The application took the activity and cannot show it after all: what follows is what follows where continue does
  /// not take it, but that no document is opened. False if the handler was called before.
  public func fail() -> Bool { end(.failure) }

  private func end(_ outcome: Outcome) -> Bool {
    let (first, now) = lock.withLock {
      guard !wasCalled else { return (false, false) }
      wasCalled = true
      self.outcome = outcome
      return (true, continueHasReturned)
    }
    if now { application.later(with: self) { $0.deliver() } }
    return first
  }

  /// Released uncalled means: no objects.
  public override func abandoned() { _ = restore([]) }

  public override var home: Application? { application }

  /// Without a reference of its own the application cannot call the handler any more once continue has returned.
  func continueReturned() {
    let now = lock.withLock {
      continueHasReturned = true
      if !wasCalled, !isHeld {
        wasCalled = true
        outcome = .restore([])
      }
      return wasCalled
    }
    if now { deliver() }
  }

  /// The application is going: nothing restores any more.
  func cancel() {
    _ = take()
  }

  private func deliver() {
    let (outcome, body) = take()
    if let outcome { body?(outcome) }
  }

  /// What is to be done, and with whom; nobody will get it again. It is let go outside of the lock.
  private func take() -> (outcome: Outcome?, body: ((Outcome) -> Void)?) {
    lock.withLock {
      defer {
        wasCalled = true
        outcome = nil
        body = nil
      }
      return (outcome, body)
    }
  }
}
