import SegueCore

/// One continuation in the daemon of the device that takes over: from the user's choice to its one outcome.
///
/// Launching and fetching run side by side. The reply to the claim is the continuation, its error is the failure. Once
/// the application has begun, it is told of every failure (did_fail); before that the daemon tells the user.
///
/// If no application takes the activity, its page is fetched, and a browser opens it (semantics W1). A link that was
/// followed here is opened by a browser too where its application cannot be started (semantics W5).
///
/// If the origin cannot be reached, the continuation waits for it, as long as a fetch may take (semantics X9). A
/// continuation that was running when a daemon ended is taken up by the next daemon (`resumed`).
public struct ContinuationMachine: Sendable {
  /// The kind of thing that is continued.
  public enum Subject: Equatable, Sendable {
    /// An activity, in an application.
    case activity
    /// Its page alone, in a browser: no application here continues the activity.
    case page
    /// A link that the user has followed here, in an application.
    case link
  }

  public enum Timer: Equatable, Sendable {
    case fetch
    case launch
    case notResponding
    case claim
    case finish
  }

  /// How far a continuation had come when its daemon ended, as the next daemon finds it.
  public enum Resumption: Equatable, Sendable {
    /// The application did not have the payload. The continuation begins anew, with the time that is left.
    case undelivered
    /// The application had the payload, or the payload was lost on its way to it. Only a process that still runs can
    /// say; a newly launched one would restore the activity a second time.
    case delivered
    /// The continuation's time is over. An application that still runs and waits for it has to hear that.
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
    /// There is a new link to the origin.
    case linkUp
    /// The origin is no longer paired: nothing of it reaches the application any more (semantics V14).
    case originGone(SegueError)
    /// The files that the snapshot names in containers have arrived, or have not (semantics R8). The service that waits
    /// for them has a time limit of its own, since only it can name the missing file.
    case localized(Snapshot)
    case localizeFailed(SegueError)
    /// The launch message could not be delivered. `ownerGone`: the name had an owner, which left the bus before it
    /// answered.
    case launchFailed(SegueError, ownerGone: Bool)
    /// The process at the door does not take the launch message: it is not the owner of the application's name. The next
    /// one goes over the bus, and counts as the first.
    case notTaken
    /// The application shows the ticket of the last launch; the engine has checked that it may.
    case begin
    case claim
    case finished(handled: Bool)
    /// A browser shows the web page, or none could be started (semantics V7). The service that opens it has a time
    /// limit of its own.
    case openedInBrowser
    case noBrowser(SegueError)
    /// The application that began is gone.
    case applicationGone
    /// The same, while the code of this plugin ran in it.
    case pluginEnded(PluginID)
    /// The application's time to restore is over, and it runs this plugin's code.
    case pluginHangs(PluginID)
    /// The user chose another offer (V3).
    case superseded
    /// The user wants it no more.
    case stopped
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
    /// As `launch`, but only to an application that runs and knows the continuation; none is started.
    case reach
    /// Tell user interfaces that the continuation waits for the other device.
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
    /// The outcome, which comes once, and last. `toldByApplication`: the application hears it, and so can show it.
    case ended(SegueError?, toldByApplication: Bool)
  }

  private enum Fetch: Sendable {
    case running
    /// Waits for a link to the origin. The error is the outcome if no link comes in time.
    case waiting(SegueError)
    /// A daemon before this one had the payload.
    case former
    /// The payload is here; files that it names are not all here.
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
    /// The application may have the payload from an earlier daemon; it is asked.
    case reaching
    /// The application has answered.
    case reached
    /// No application takes it; a browser opens the page as soon as its URL is here (semantics W1).
    case awaitingPage
    /// A browser is started: no application takes the payload, or one did not.
    case browsing
  }

  private enum State: Sendable {
    case new
    case running(Fetch, Launch)
    /// The outcome: the error, or nil for success. A late claim gets it too.
    case ended(SegueError?)
  }

  private var state = State.new
  private let subject: Subject

  public init(_ subject: Subject = .activity) { self.subject = subject }

  public var isEnded: Bool {
    if case .ended = state { return true }
    return false
  }

  public mutating func handle(_ event: Event) -> [Effect] {
    switch (state, event) {
    case (.new, .chosen) where subject == .page, (.new, .resumed(.delivered)) where subject == .page:
      state = .running(.running, .awaitingPage)
      return [.start(.fetch), .fetch]
    case (.new, .resumed(.expired(let error))) where subject == .page:
      state = .ended(error)
      return [.ended(error, toldByApplication: false)]
    case (.new, .chosen):
      state = .running(.running, .launching(attempt: 1))
      return [.start(.fetch), .start(.launch), .start(.notResponding), .fetch, .launch]
    case (.new, .resumed(.undelivered)):
      return handle(.chosen)
    case (.new, .resumed(.delivered)):
      state = .running(.former, .reaching)
      return [.start(.launch), .reach]
    case (.new, .resumed(.expired(let error))):
      // This is the second attempt, for which no application is started.
      state = .running(.failed(error), .launching(attempt: 2))
      return [.start(.launch), .reach]
    case (.running(let fetch, let launch), _):
      return handle(event, fetch, launch)
    case (.ended, .begin):
      return [.refuseBegin(ContinuationFailure.over)]
    case (.ended(let error), .claim):
      return [.refuseClaim(error ?? ContinuationFailure.over)]
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
      guard snapshot.files.isEmpty || Self.isAwaitingPage(launch) else {
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
      case .launching, .begun, .claiming, .awaitingPage: return end(error, fetch, launch)
      case .delivered, .reaching, .reached, .browsing: return []  // The payload is the application's.
      }
    case .expired(.fetch):
      switch fetch {
      case .running: return [.cancelFetch] + fetched(.failed(ContinuationFailure.fetchTimedOut), launch)
      case .waiting(let error): return fetched(.failed(error), launch)
      case .former, .localizing, .done, .failed: return []
      }

    case .launchFailed where Self.isReaching(launch), .expired(.launch) where Self.isReaching(launch):
      return end(ContinuationFailure.exited, fetch, launch, isThere: false)
    case .launchFailed(let error, let ownerGone):
      guard case .launching(let attempt) = launch else { return [] }
      if ownerGone || error.code == .applicationExited, attempt == 1 {
        // V18: the launch message reached an application that was quitting. A second one starts it anew.
        state = .running(fetch, .launching(attempt: 2))
        return [.stop(.notResponding), .start(.notResponding), .launch]
      }
      return notLaunched(error, fetch, launch)
    case .notTaken:
      guard case .launching = launch else { return [] }
      return [.stop(.notResponding), .start(.notResponding), .launch]
    case .expired(.launch):
      guard case .launching = launch else { return [] }
      return notLaunched(ContinuationFailure.launchTimedOut, fetch, launch)
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
      case .begun, .claiming, .delivered, .reached, .awaitingPage, .browsing:
        return [.refuseBegin(ContinuationFailure.over)]
      }
    case .claim:
      switch launch {
      case .begun:
        return claim(fetch)
      case .reached:
        // The former daemon's answer did not reach the application.
        state = .running(.running, .claiming)
        return [.stop(.finish), .start(.claim), .start(.fetch), .fetch]
      case .launching, .claiming, .delivered, .reaching, .awaitingPage, .browsing:
        return [.refuseClaim(ContinuationFailure.over)]
      }
    case .expired(.claim):
      switch launch {
      case .begun, .claiming: return end(ContinuationFailure.claimTimedOut, fetch, launch)
      case .launching, .delivered, .reaching, .reached, .awaitingPage, .browsing: return []
      }

    case .finished(let handled):
      guard Self.mayFinish(launch) else { return [] }
      if handled { return [.stop(.finish)] + continued(inBrowser: false) }
      guard case .done = fetch else {
        // The payload that an earlier daemon fetched is lost, and its page with it.
        state = .running(.running, .awaitingPage)
        return [.stop(.finish), .start(.fetch), .fetch]
      }
      return [.stop(.finish)] + open(fetch, .awaitingPage)
    case .openedInBrowser:
      guard case .browsing = launch else { return [] }
      return continued(inBrowser: true)
    case .noBrowser(let error):
      guard case .browsing = launch else { return [] }
      return end(error, fetch, launch)
    case .expired(.finish):
      guard Self.mayFinish(launch) else { return [] }
      return end(ContinuationFailure.finishTimedOut, fetch, launch)
    case .pluginHangs(let plugin):
      guard Self.mayFinish(launch) else { return [] }
      return end(ContinuationFailure.finishTimedOut(in: plugin), fetch, launch)

    case .applicationGone:
      switch launch {
      case .launching, .reaching, .awaitingPage, .browsing: return []
      case .begun, .claiming, .delivered, .reached:
        return end(ContinuationFailure.exited, fetch, launch, isThere: false)
      }
    case .pluginEnded(let plugin):
      switch launch {
      case .launching, .reaching, .awaitingPage, .browsing: return []
      case .begun, .claiming, .delivered, .reached:
        return end(ContinuationFailure.exited(in: plugin), fetch, launch, isThere: false)
      }
    case .superseded: return canBeCancelled ? end(ContinuationFailure.cancelled, fetch, launch) : []
    case .stopped: return canBeCancelled ? end(ContinuationFailure.stopped, fetch, launch) : []
    }
  }

  /// Whether neither the application nor a browser has the state.
  var canBeCancelled: Bool {
    guard case .running(_, let launch) = state else { return false }
    return switch launch {
    case .delivered, .reaching, .reached, .browsing: false
    case .launching, .begun, .claiming, .awaitingPage: true
    }
  }

  private mutating func continued(inBrowser: Bool) -> [Effect] {
    state = .ended(nil)
    return [.tellOrigin(inBrowser: inBrowser), .ended(nil, toldByApplication: true)]
  }

  private static func isAwaitingPage(_ launch: Launch) -> Bool {
    if case .awaitingPage = launch { return true }
    return false
  }

  private static func isReaching(_ launch: Launch) -> Bool {
    if case .reaching = launch { return true }
    return false
  }

  /// Whether the application has the payload already.
  private static func mayFinish(_ launch: Launch) -> Bool {
    switch launch {
    case .delivered, .reached: true
    case .launching, .begun, .claiming, .reaching, .awaitingPage, .browsing: false
    }
  }

  private mutating func fetched(_ fetch: Fetch, _ launch: Launch) -> [Effect] {
    if case .claiming = launch { return claim(fetch) }
    if case .awaitingPage = launch { return open(fetch, launch) }
    // The application is being launched. It gets the outcome with its claim, even if it is a failure.
    state = .running(fetch, launch)
    return []
  }

  /// The URL is here, or does not come.
  private mutating func open(_ fetch: Fetch, _ launch: Launch) -> [Effect] {
    switch fetch {
    case .running, .waiting, .former, .localizing: return []
    case .failed(let error): return end(error, fetch, launch)
    case .done(let snapshot):
      guard let page = subject == .page ? snapshot.page : snapshot.fallbackPage else {
        return end(
          snapshot.document == .elsewhere ? ContinuationFailure.documentElsewhere : ContinuationFailure.notHandled,
          fetch, launch)
      }
      state = .running(fetch, .browsing)
      return [.openBrowser(page)]
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

  /// The error to tell. If the fetch failed first, that is the cause that a person wants to hear.
  private func failure(_ error: SegueError, over fetch: Fetch) -> SegueError {
    if case .failed(let cause) = fetch { return cause }
    return error
  }

  /// Ends a continuation whose launch failed. A link opens in a browser instead: its user wants to see the page, in any
  /// program.
  private mutating func notLaunched(_ error: SegueError, _ fetch: Fetch, _ launch: Launch) -> [Effect] {
    guard subject == .link, case .done = fetch else { return end(failure(error, over: fetch), fetch, launch) }
    return [.stop(.launch), .stop(.notResponding)] + open(fetch, launch)
  }

  /// `isThere`: whether the application that has begun can still be notified.
  private mutating func end(
    _ error: SegueError, _ fetch: Fetch, _ launch: Launch, isThere: Bool = true
  ) -> [Effect] {
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
      // If the application has not claimed yet, its claim gets the error when it comes.
      effects.append(.stop(.claim))
      if case .claiming = launch, isThere { effects.append(.failClaim(error)) }
      effects.append(.ended(error, toldByApplication: isThere))
    case .delivered, .reached:
      effects += [.stop(.finish), .ended(error, toldByApplication: false)]
    case .reaching:
      effects += [.stop(.launch), .ended(error, toldByApplication: false)]
    case .awaitingPage, .browsing:
      effects.append(.ended(error, toldByApplication: false))
    }
    return effects
  }
}
