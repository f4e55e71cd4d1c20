import SegueBus
import SegueCore

/// A continuation as the application sees it: an activity that is coming.
public final class Continuation: Handle, @unchecked Sendable {
  /// The id, which is the same on every device and for all its tickets.
  public let id: Identifier
  public let typeText: CText
  public let titleText: CText
  public let deviceNameText: CText
  public let activationTokenText: CText
  let deadline: Instant

  /// The moment from which the state is.
  private struct Source {
    var isStored: Bool
    /// The state's age at `time`, in milliseconds; nil where it is not known.
    var age: UInt64?
    var time = Instant.now
  }

  private let lock = Lock()
  private var source: Source

  /// The daemon's answer describes the offer.
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

  /// Takes the state's age when it is here: it may differ from the offer's, if its application has ended since.
  func arrived(_ snapshot: Snapshot) {
    let arrived = Source(isStored: snapshot.isStored, age: snapshot.isStored ? snapshot.age : 0)
    lock.withLock { source = arrived }
  }

  /// Whether the state is that of an earlier moment, since its application could not be asked for it.
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
  /// The objects that were handed over and are not restored yet, or that restoring has failed.
  private var outcome: Outcome?
  private var wasCalled = false
  private var continueHasReturned = false
  /// The delivery's handler for the outcome, on the application's thread.
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

  /// Says that the application took the activity and cannot show it after all: the consequences are those of a continue
  /// that does not take it, except that no document is opened. False if the handler was called before.
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

  /// A handler that is released uncalled restores no objects.
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

  /// Called when the application closes: no object restores any more.
  func cancel() {
    _ = take()
  }

  private func deliver() {
    let (outcome, body) = take()
    if let outcome { body?(outcome) }
  }

  /// Takes the outcome and its handler, once. The caller releases them outside of the lock.
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
