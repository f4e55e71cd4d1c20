/// One continuation in the daemon of the device that takes over: from the user's choice to its one outcome.
///
/// Launching and fetching run side by side. The reply to the claim is the continuation, its error is the failure. Once
/// the application has begun, it is told of every failure (did_fail); before that the daemon tells the user.
///
/// A device that cannot be reached is waited for, up to the time of the fetch (semantics X9). A continuation that was
/// running when a daemon ended is taken up by the next one (`resumed`).
public struct ContinuationMachine: Sendable {
  public enum Timer: Equatable, Sendable {
    case fetch
    case launch
    case notResponding
    case claim
    case finish
  }

  /// What a daemon that ended had come to, as the next one finds it.
  public enum Resumption: Equatable, Sendable {
    /// The application had not got the payload: all begins anew, with what is left of the time.
    case undelivered
    /// It had, or the answer was lost on its way. Only one that still runs can say; a new one would restore it twice.
    case delivered
    /// Its time is over. One that still runs and waits for it has to hear that.
    case expired(SegueError)
  }

  public enum Event: Sendable {
    case chosen
    /// In place of `chosen`, after a restart of the daemon.
    case resumed(Resumption)
    case fetched(Snapshot)
    case fetchFailed(SegueError)
    /// The link to the origin is down, or was lost while the payload was on its way.
    case unreachable(SegueError)
    /// There is a link to the origin, a new one.
    case linkUp
    /// The origin is no longer paired: nothing of it reaches the application any more (semantics V14).
    case originGone(SegueError)
    /// The files that the snapshot names in containers are here, or are not (semantics R8). Whoever waits for them has a
    /// bound of its own, since only it can name the one that is missing.
    case localized(Snapshot)
    case localizeFailed(SegueError)
    /// The launch message could not be delivered. `ownerGone`: there was an owner, and it went.
    case launchFailed(SegueError, ownerGone: Bool)
    /// An application that may shows the ticket of the last launch.
    case begin
    case claim
    case finished(handled: Bool)
    /// A browser shows the web page, or none could be had (semantics V7). Whoever opens it has a bound of its own.
    case openedInBrowser
    case noBrowser(SegueError)
    /// The application that began is gone.
    case callerGone
    /// The user chose another offer (V3).
    case superseded
    case expired(Timer)
  }

  public enum Effect: Equatable, Sendable {
    case fetch
    case cancelFetch
    /// Wait for the files that the snapshot names in containers, and put this device's paths in their places.
    case localize(Snapshot)
    case cancelLocalize
    /// Send the launch message with a new ticket; earlier tickets of this continuation are void.
    case launch
    /// As `launch`, to an application that runs and knows the continuation; none is started for it.
    case reach
    /// The other device is waited for.
    case showWaiting
    case acceptBegin
    case refuseBegin(SegueError)
    case answerClaim(Snapshot)
    case failClaim(SegueError)
    case refuseClaim(SegueError)
    case start(Timer)
    case stop(Timer)
    /// The application has not answered for a while.
    case showNotResponding
    /// Open the activity's web page, since the application did not take the activity.
    case openBrowser(WebURL)
    /// Tell the origin that its activity was continued.
    case tellOrigin(inBrowser: Bool)
    /// The outcome; `toldByApplication` where the application has shown it, or will. Comes once, last.
    case ended(SegueError?, toldByApplication: Bool)
  }

  private enum Fetch: Sendable {
    case running
    /// For a link to the origin; the error is what is said if none comes in time.
    case waiting(SegueError)
    /// A daemon before this one had the payload.
    case former
    /// The payload is here, and files that it names are waited for.
    case localizing
    case done(Snapshot)
    case failed(SegueError)
  }

  private enum Launch: Sendable {
    case launching(attempt: Int)
    /// The application has the ticket.
    case begun
    /// It waits for the payload.
    case claiming
    /// It has the payload.
    case delivered
    /// It got the payload of a daemon before this one, perhaps: it is asked.
    case reaching
    /// It has answered.
    case reached
    /// It did not want the payload, and a browser is asked.
    case browsing
  }

  private enum State: Sendable {
    case new
    case running(Fetch, Launch)
    /// The error, nil for success: a claim that comes late gets it too.
    case ended(SegueError?)
  }

  private var state = State.new

  public init() {}

  public var isEnded: Bool {
    if case .ended = state { return true }
    return false
  }

  public mutating func handle(_ event: Event) -> [Effect] {
    switch (state, event) {
    case (.new, .chosen):
      state = .running(.running, .launching(attempt: 1))
      return [.start(.fetch), .start(.launch), .start(.notResponding), .fetch, .launch]
    case (.new, .resumed(.undelivered)):
      return handle(.chosen)
    case (.new, .resumed(.delivered)):
      state = .running(.former, .reaching)
      return [.start(.launch), .reach]
    case (.new, .resumed(.expired(let error))):
      // The second attempt: one that does not run is not launched for it.
      state = .running(.failed(error), .launching(attempt: 2))
      return [.start(.launch), .reach]
    case (.running(let fetch, let launch), _):
      return handle(event, fetch, launch)
    case (.ended, .begin):
      return [.refuseBegin(Self.over)]
    case (.ended(let error), .claim):
      return [.refuseClaim(error ?? Self.over)]
    case (.new, _), (.ended, _):
      return []
    }
  }

  private mutating func handle(_ event: Event, _ fetch: Fetch, _ launch: Launch) -> [Effect] {
    switch event {
    case .chosen, .resumed:
      return []  // V3: a second choice of the same offer joins.
    case .fetched(let snapshot):
      guard case .running = fetch else { return [] }
      guard snapshot.files.isEmpty else {
        state = .running(.localizing, launch)
        return [.stop(.fetch), .localize(snapshot)]
      }
      return [.stop(.fetch)] + fetched(.done(snapshot), launch)
    case .localized(let snapshot):
      guard case .localizing = fetch else { return [] }
      return fetched(.done(snapshot), launch)
    case .localizeFailed(let error):
      guard case .localizing = fetch else { return [] }
      return fetched(.failed(error), launch)
    case .fetchFailed(let error):
      switch fetch {
      case .running, .waiting: return [.stop(.fetch)] + fetched(.failed(error), launch)
      case .former, .localizing, .done, .failed: return []
      }
    case .unreachable(let error):
      guard case .running = fetch else { return [] }
      state = .running(.waiting(error), launch)
      return [.showWaiting]
    case .linkUp:
      guard case .waiting = fetch else { return [] }
      state = .running(.running, launch)
      return [.fetch]
    case .originGone(let error):
      switch launch {
      case .launching, .begun, .claiming: return originGone(error, fetch, launch)
      case .delivered, .reaching, .reached, .browsing: return []  // The payload is the application's.
      }
    case .expired(.fetch):
      switch fetch {
      case .running: return [.cancelFetch] + fetched(.failed(Self.fetchTimedOut), launch)
      case .waiting(let error): return fetched(.failed(error), launch)
      case .former, .localizing, .done, .failed: return []
      }

    case .launchFailed where Self.isReaching(launch), .expired(.launch) where Self.isReaching(launch):
      return end(Self.exited, fetch, launch)
    case .launchFailed(let error, let ownerGone):
      guard case .launching(let attempt) = launch else { return [] }
      if ownerGone || error.code == .applicationExited, attempt == 1 {
        // V18: the choice fell between an application that was quitting, or answered that it is, and one that starts.
        state = .running(fetch, .launching(attempt: 2))
        return [.stop(.notResponding), .start(.notResponding), .launch]
      }
      return end(failure(error, over: fetch), fetch, launch)
    case .expired(.launch):
      guard case .launching = launch else { return [] }
      return end(failure(Self.launchTimedOut, over: fetch), fetch, launch)
    case .expired(.notResponding):
      guard case .launching = launch else { return [] }
      return [.showNotResponding]

    case .begin:
      switch launch {
      case .launching:
        state = .running(fetch, .begun)
        return [.stop(.launch), .stop(.notResponding), .acceptBegin, .start(.claim)]
      case .reaching:
        state = .running(fetch, .reached)
        return [.stop(.launch), .acceptBegin, .start(.finish)]
      case .begun, .claiming, .delivered, .reached, .browsing:
        return [.refuseBegin(Self.over)]
      }
    case .claim:
      switch launch {
      case .begun:
        return claim(fetch)
      case .reached:
        // The former daemon's answer never came to it.
        state = .running(.running, .claiming)
        return [.stop(.finish), .start(.claim), .start(.fetch), .fetch]
      case .launching, .claiming, .delivered, .reaching, .browsing:
        return [.refuseClaim(Self.over)]
      }
    case .expired(.claim):
      switch launch {
      case .begun, .claiming: return end(Self.claimTimedOut, fetch, launch)
      case .launching, .delivered, .reaching, .reached, .browsing: return []
      }

    case .finished(let handled):
      guard Self.mayFinish(launch) else { return [] }
      if handled { return [.stop(.finish)] + continued(inBrowser: false) }
      // What a daemon before this one fetched is not known any more.
      guard case .done(let snapshot) = fetch, let page = snapshot.fallbackPage else {
        return end(Self.notHandled, fetch, launch)
      }
      state = .running(fetch, .browsing)
      return [.stop(.finish), .openBrowser(page)]
    case .openedInBrowser:
      guard case .browsing = launch else { return [] }
      return continued(inBrowser: true)
    case .noBrowser(let error):
      guard case .browsing = launch else { return [] }
      return end(error, fetch, launch)
    case .expired(.finish):
      guard Self.mayFinish(launch) else { return [] }
      return end(Self.finishTimedOut, fetch, launch)

    case .callerGone:
      switch launch {
      case .launching, .reaching, .browsing: return []
      case .begun, .claiming, .delivered, .reached: return end(Self.exited, fetch, launch)
      }
    case .superseded:
      switch launch {
      case .delivered, .reaching, .reached, .browsing: return []
      case .launching, .begun, .claiming: return end(Self.cancelled, fetch, launch)
      }
    }
  }

  private mutating func continued(inBrowser: Bool) -> [Effect] {
    state = .ended(nil)
    return [.tellOrigin(inBrowser: inBrowser), .ended(nil, toldByApplication: true)]
  }

  private static func isReaching(_ launch: Launch) -> Bool {
    if case .reaching = launch { return true }
    return false
  }

  /// Whether the payload is the application's already.
  private static func mayFinish(_ launch: Launch) -> Bool {
    switch launch {
    case .delivered, .reached: true
    case .launching, .begun, .claiming, .reaching, .browsing: false
    }
  }

  private mutating func fetched(_ fetch: Fetch, _ launch: Launch) -> [Effect] {
    if case .claiming = launch { return claim(fetch) }
    // The application is still on its way: it gets the outcome, also a failure, with its claim.
    state = .running(fetch, launch)
    return []
  }

  private mutating func originGone(_ error: SegueError, _ fetch: Fetch, _ launch: Launch) -> [Effect] {
    let failed = fetched(.failed(error), launch)
    switch fetch {
    case .running: return [.stop(.fetch), .cancelFetch] + failed
    case .waiting: return [.stop(.fetch)] + failed
    case .localizing: return [.cancelLocalize] + failed
    case .former, .done: return failed
    case .failed: return []
    }
  }

  private mutating func claim(_ fetch: Fetch) -> [Effect] {
    switch fetch {
    case .running, .waiting, .former, .localizing:
      state = .running(fetch, .claiming)
      return []
    case .done(let snapshot):
      state = .running(fetch, .delivered)
      return [.stop(.claim), .answerClaim(snapshot), .start(.finish)]
    case .failed(let error):
      state = .ended(error)
      return [.stop(.claim), .failClaim(error), .ended(error, toldByApplication: true)]
    }
  }

  /// Why it failed: a fetch that failed first is the cause that a person wants to hear.
  private func failure(_ error: SegueError, over fetch: Fetch) -> SegueError {
    if case .failed(let cause) = fetch { return cause }
    return error
  }

  private mutating func end(_ error: SegueError, _ fetch: Fetch, _ launch: Launch) -> [Effect] {
    state = .ended(error)
    var effects: [Effect] = []
    switch fetch {
    case .running: effects += [.stop(.fetch), .cancelFetch]
    case .waiting: effects.append(.stop(.fetch))
    case .localizing: effects.append(.cancelLocalize)
    case .former, .done, .failed: break
    }
    switch launch {
    case .launching:
      effects += [.stop(.launch), .stop(.notResponding), .ended(error, toldByApplication: false)]
    case .begun, .claiming:
      // Where the claim is not out yet, it gets the error when it comes.
      let told = error != Self.exited
      effects.append(.stop(.claim))
      if case .claiming = launch, told { effects.append(.failClaim(error)) }
      effects.append(.ended(error, toldByApplication: told))
    case .delivered, .reached:
      effects += [.stop(.finish), .ended(error, toldByApplication: false)]
    case .reaching:
      effects += [.stop(.launch), .ended(error, toldByApplication: false)]
    case .browsing:
      effects.append(.ended(error, toldByApplication: false))
    }
    return effects
  }

  // MARK: The sentences

  private static let over = SegueError(
    .notFound, "This continuation is over, or its ticket was used before.", advice: "Continue again.")
  private static let cancelled = SegueError(.userCancelled, "Something else was chosen.")
  private static let fetchTimedOut = SegueError(
    .connectionUnavailable, "The other device did not send the activity in time.",
    advice: "Check that it is on and in reach, then try again.")
  private static let launchTimedOut = SegueError(
    .launchTimedOut, "The application did not start in time.",
    advice: "Try again; if it happens each time, start the application by hand and look at what it prints.")
  private static let claimTimedOut = SegueError(.handoffFailed, "The activity did not arrive in time.")
  private static let finishTimedOut = SegueError(
    .notHandled, "The application did not finish restoring the activity in time.")
  private static let exited = SegueError(
    .applicationExited, "The application ended before it had restored the activity.", advice: "Try again.")
  private static let notHandled = SegueError(
    .notHandled, "The application could not restore the activity.")
}
