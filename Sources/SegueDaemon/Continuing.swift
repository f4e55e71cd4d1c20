import SegueBus
import SegueControl
import SegueCore
import SegueLink

// The continuing side: carries out what ContinuationMachine decides.

/// Who chose an offer, and is told how it went: the continuation's id, or why there was none.
typealias Caller = (Result<Identifier, SegueError>) -> Void

/// What who chose an offer waits for. What went wrong before is told to all.
enum Awaited {
  /// The application has begun to continue it, which hears the rest itself.
  case begun
  case ended
}

/// A continuation that runs.
final class RunningContinuation {
  let id: Identifier
  let offer: Offer
  let source: OfferSource
  let application: InstalledApplication
  let activationToken: String?
  var machine = ContinuationMachine()
  /// Everyone who asked for it; each is told what it waits for.
  var callers: [(awaited: Awaited, tell: Caller)]
  /// The application shows a failure itself; known once it has begun.
  var showsFailure = false
  /// The only good ticket.
  var ticket = Identifier.random()
  /// Who has begun it.
  var session: UInt64?
  /// The call that the next effect answers.
  var pendingBegin: Invocation?
  var pendingClaim: Invocation?
  /// The number of its fetch from another device.
  var fetch: UInt64?
  /// The snapshot's.
  var revision: UInt64?
  var timers: [(ContinuationMachine.Timer, LoopTimer)] = []
  /// When it fails at the latest.
  var deadline: Instant = 0
  /// Until when the origin is waited for.
  var fetchUntil: Instant = 0
  /// Its claim has been answered, or it has ended.
  var isDelivered = false
  /// What waits for that.
  var afterDelivery: [() -> Void] = []
  /// Where its time goes.
  var times = ContinuationTimes(chosen: monotonicMicroseconds())
  /// Bytes of userInfo, once it is here.
  var size: Int?

  init(
    offer: Offer, source: OfferSource, application: InstalledApplication, activationToken: String?
  ) {
    id = .random()
    self.offer = offer
    self.source = source
    self.application = application
    self.activationToken = activationToken
    callers = []
  }

  /// One that a former daemon had under way.
  init(_ record: ContinuationJournal.Running, source: OfferSource, application: InstalledApplication) {
    id = record.id
    offer = record.offer
    self.source = source
    self.application = application
    activationToken = nil
    callers = []
    deadline = record.until
    // What was delivered once has the time of a new fetch, if it comes to that.
    fetchUntil = record.isDelivered ? record.until : record.fetchUntil
    revision = record.revision
  }
}

extension Daemon {
  /// Failures that are remembered for a late claim.
  private static let failuresMaximum = 16

  // MARK: Choosing

  /// The user chose an offer, perhaps of this device, and perhaps the application that shall continue it. False: nothing
  /// runs, and the caller was told why.
  @discardableResult
  func choose(
    _ id: Identifier, of device: DeviceID? = nil, application wanted: AppID? = nil, activationToken: String?,
    until awaited: Awaited = .ended, _ caller: @escaping Caller
  ) -> Bool {
    // A second choice of the same offer for the same application joins; any other takes its place (semantics V3).
    let running = running(id, of: device, wanted)
    if let running, wanted == nil || wanted == running.application.appID {
      guard running.callers.count < Limits.callersPerContinuation else {
        caller(
          .failure(
            SegueError(
              .limitExceeded, "Too many wait for this continuation already.", advice: "It goes on; wait for its end.")))
        return false
      }
      if awaited == .begun, running.session != nil {
        caller(.success(running.id))
      } else {
        running.callers.append((awaited, caller))
      }
      return true
    }
    // Also what was withdrawn while it runs.
    guard let (offer, source) = running.map({ ($0.offer, $0.source) }) ?? found(id, of: device) else {
      caller(.failure(notOnOffer(id)))
      return false
    }
    let application: InstalledApplication
    do throws(SegueError) {
      application = try self.application(for: offer, from: source, wanted)
    } catch {
      caller(.failure(error))
      return false
    }
    for other in continuations.values { handle(.superseded, other) }
    let continuation = RunningContinuation(
      offer: offer, source: source, application: application, activationToken: activationToken)
    continuation.callers = [(awaited, caller)]
    let now = Instant.now
    continuation.deadline = now + settings.times.ticket
    continuation.fetchUntil = now + settings.times.fetch
    continuations[continuation.id] = continuation
    notice(.chosen(id))
    handle(.chosen, continuation)
    return true
  }

  /// The continuation of an offer that runs: for that application if it is one, else the one that was chosen last.
  private func running(_ id: Identifier, of device: DeviceID?, _ wanted: AppID?) -> RunningContinuation? {
    let all = continuations.values.filter {
      $0.offer.id == id && (device == nil || ($0.source.device ?? identity.id) == device)
    }
    return all.first { $0.application.appID == wanted } ?? all.max { $0.deadline < $1.deadline }
  }

  func handle(_ event: ContinuationMachine.Event, _ continuation: RunningContinuation) {
    let effects = continuation.machine.handle(event)
    record(effects, of: continuation)
    for effect in effects { perform(effect, continuation) }
  }

  private func perform(_ effect: ContinuationMachine.Effect, _ continuation: RunningContinuation) {
    note(effect, of: continuation)
    switch effect {
    case .fetch: fetch(continuation)
    case .cancelFetch: cancelFetch(continuation)
    case .localize(let snapshot): localize(snapshot, continuation)
    case .cancelLocalize: cancelLocalize(continuation)
    case .launch: launch(continuation)
    case .reach: launch(continuation, startsIt: false)
    case .showWaiting: progress(continuation, .waiting)
    case .acceptBegin: acceptBegin(continuation)
    case .refuseBegin(let error): answer(&continuation.pendingBegin, error)
    case .answerClaim(let snapshot):
      answerClaim(continuation, snapshot)
      delivered(continuation)
    case .failClaim(let error), .refuseClaim(let error): answer(&continuation.pendingClaim, error)
    case .start(let timer): start(timer, continuation)
    case .stop(let timer): stop(timer, continuation)
    case .showNotResponding:
      progress(continuation, .notResponding)
      notice(.notResponding(offered(continuation), continuation: continuation.id))
    case .openBrowser(let page): openBrowser(page, continuation)
    case .tellOrigin: tellOrigin(continuation)
    case .ended(let error, let toldByApplication): ended(continuation, error, toldByApplication)
    }
  }

  func progress(_ continuation: RunningContinuation, _ state: ContinuationState) {
    emitControl(.continuation(id: continuation.id.hex, state: state))
  }

  func answer(_ pending: inout Invocation?, _ error: SegueError) {
    pending?.fail(error)
    pending = nil
  }

  /// Runs the body in a later turn of the loop, and not before a continuation on this device, which waits for the state
  /// of the activity, has been answered.
  func afterDelivery(of activity: Identifier, _ body: @escaping () -> Void) {
    let waiting = continuations.values.first { $0.source == .here && $0.offer.id == activity && !$0.isDelivered }
    if let waiting { waiting.afterDelivery.append(body) } else { loop.later(body) }
  }

  private func delivered(_ continuation: RunningContinuation) {
    continuation.isDelivered = true
    for body in continuation.afterDelivery { loop.later(body) }
    continuation.afterDelivery = []
  }

  // MARK: Times

  private func start(_ timer: ContinuationMachine.Timer, _ continuation: RunningContinuation) {
    let time =
      switch timer {
      case .fetch: min(settings.times.fetch, timeLeft(until: continuation.fetchUntil))
      case .launch: settings.times.launch
      case .notResponding: settings.times.notResponding
      case .claim: settings.times.claim
      case .finish: settings.times.finish
      }
    continuation.timers.append((timer, loop.timer(after: time) { [self] in handle(.expired(timer), continuation) }))
  }

  /// At least a millisecond: what is over ends as a timer.
  private func timeLeft(until time: Instant) -> UInt64 { max(Instant.now.time(until: time), 1) }

  private func stop(_ timer: ContinuationMachine.Timer, _ continuation: RunningContinuation) {
    for (kind, running) in continuation.timers where kind == timer { running.cancel() }
    continuation.timers.removeAll { $0.0 == timer }
  }

  // MARK: The end

  private func ended(_ continuation: RunningContinuation, _ error: SegueError?, _ toldByApplication: Bool) {
    for (_, timer) in continuation.timers { timer.cancel() }
    continuation.timers = []
    last = LastContinuation(
      continuation.id, of: continuation.offer, appName: continuation.application.name,
      deviceName: originName(of: continuation), times: continuation.times, size: continuation.size, error: error)
    continuations[continuation.id] = nil
    delivered(continuation)
    let callers = continuation.callers
    continuation.callers = []
    for caller in callers {
      if let error { caller.tell(.failure(error)) } else { caller.tell(.success(continuation.id)) }
    }
    if let error {
      // A claim that is still out gets the outcome as well, and so does one that is on its way (semantics V1, V3).
      answer(&continuation.pendingClaim, error)
      if let session = continuation.session { failures.append((continuation.ticket, session, error)) }
      if failures.count > Self.failuresMaximum { failures.removeFirst() }
    }
    if error == nil { offersChanged() }
    progress(continuation, error == nil ? .continued : .failed)
    let shownByApplication = toldByApplication && continuation.showsFailure
    notice(
      .ended(offered(continuation), continuation: continuation.id, error, shownByApplication: shownByApplication))
    if let error, !toldByApplication, error.code != .userCancelled {
      log.notice("\(continuation.application.name): \(error.message)", cause: "continuation")
    }
  }
}
