import SegueCore

/// One continuation inside the application that takes it over: from the launch message to the finish.
///
/// The machine keeps Apple's invariant: for each will_continue exactly one of continue and did_fail is called
/// (semantics V1). open_document is the fallback of continue (V7). The machine calls no callback before the application
/// is ready (V8), and a launch message over the bus is answered only when the daemon has accepted the claim (V18).
///
/// When the daemon ends, the ticket is void but the continuation is not. The next daemon sends a launch message with a
/// new ticket, by which the continuation goes on (X9). will_continue is not called again.
public struct DeliveryMachine: Sendable {
  public enum Event: Sendable {
    /// The application has called ready, now or before.
    case ready
    /// The daemon accepted the ticket and told what is coming.
    case begun
    /// The daemon refused the ticket, or did not answer.
    case beginFailed(SegueError)
    /// will_continue has returned.
    case willReturned
    /// The claim's reply: the activity.
    case claimed
    /// The claim's reply: an error.
    case claimFailed(SegueError)
    /// continue_activity has returned, or was absent (false).
    case continueReturned(handled: Bool)
    /// open_document has returned, or there was none, or no document (false).
    case openReturned(handled: Bool)
    /// The restoration handler was called and all restores have returned, or the handler was released.
    case restored
    /// The application took it, and cannot restore it after all.
    case restoreFailed
    /// The connection to the daemon is lost, and with it all answers that have not come.
    case doorLost
    /// A daemon sent a new ticket for this continuation, and there is a connection to it.
    case relaunched
    /// The next daemon accepted the new ticket of a delivery that has its payload, or did not.
    case rejoined
    case rejoinFailed(SegueError)
    /// No daemon sent a new ticket in time.
    case waitedInVain(SegueError)
    /// The application is closing.
    case closed
  }

  public enum Effect: Equatable, Sendable {
    /// Show the ticket at the door, and claim right behind it.
    case begin
    /// Show the new ticket at the door; there is nothing to claim.
    case rejoin
    /// Wait for the next daemon's launch message, for a while.
    case awaitDaemon
    /// Answer the last launch message.
    case answerLaunch(SegueError?)
    case callWillContinue
    case callContinue
    /// Open the document that userInfo names, if it names one (semantics V7). The restoration handler of the continue
    /// callback has no effect any more; this callback gets a new one.
    case callOpenDocument
    case callDidFail(SegueError)
    /// Tell the daemon how it ended.
    case finish(handled: Bool)
    /// The delivery is over: no further effect follows.
    case ended
  }

  private enum State: Sendable {
    /// Launched; the application is not ready.
    case waiting
    /// The ticket is at the daemon.
    case beginning
    /// In will_continue; the claim's outcome may already be here.
    case announcing(Claim?)
    /// will_continue was called; the claim is out.
    case claiming
    /// The daemon is gone; whether will_continue was called.
    case detached(announced: Bool)
    /// The new ticket is at the next daemon. will_continue was called.
    case returning
    /// In continue_activity; the restoration may already be over.
    case continuing(restored: Bool)
    /// continue did not take it; in open_document. The restoration may already be over.
    case opening(restored: Bool)
    /// continue or open_document returned true; the restoration is not over.
    case restoring
    case ended
  }

  private enum Claim: Sendable {
    case claimed
    case failed(SegueError)
    case lost
    /// A new ticket is at the next daemon; whether it accepts that comes before the claim's outcome.
    case begunAnew
  }

  private var state = State.waiting
  /// Whether will_continue was called: this continuation is then this delivery's, also when it has ended.
  public private(set) var isAnnounced = false
  /// The outcome that the daemon was notified of: whether the activity was handled; nil until then.
  private var told: Bool?

  public init() {}

  /// Whether no ticket was shown yet.
  public var isWaiting: Bool {
    if case .waiting = state { return true }
    return false
  }

  /// Whether nothing more will come.
  public var isEnded: Bool {
    if case .ended = state { return true }
    return false
  }

  public mutating func handle(_ event: Event) -> [Effect] {
    let effects = step(event)
    for effect in effects {
      if case .callWillContinue = effect { isAnnounced = true }
      if case .finish(let handled) = effect { told = handled }
    }
    return effects
  }

  private mutating func step(_ event: Event) -> [Effect] {
    if case .announcing(let claim) = state { return step(event, announcing: claim) }
    switch (state, event) {
    case (.waiting, .ready):
      state = .beginning
      return [.begin]
    case (.waiting, .closed):
      state = .ended
      return [.answerLaunch(Self.closing), .ended]

    case (.beginning, .begun):
      state = .announcing(nil)
      return [.answerLaunch(nil), .callWillContinue]
    case (.beginning, .beginFailed(let error)):
      state = .ended
      return [.answerLaunch(error), .ended]
    case (.beginning, .doorLost):
      state = .detached(announced: false)
      return [.awaitDaemon]
    case (.beginning, .closed), (.detached(announced: false), .closed):
      state = .ended
      return [.answerLaunch(Self.closing), .ended]

    case (.claiming, .claimed):
      state = .continuing(restored: false)
      return [.callContinue]
    case (.claiming, .claimFailed(let error)):
      state = .ended
      return [.callDidFail(error), .ended]
    case (.claiming, .closed), (.detached(announced: true), .closed):
      state = .ended
      return [.callDidFail(Self.closing), .ended]

    case (.claiming, .doorLost):
      state = .detached(announced: true)
      return [.awaitDaemon]
    case (.detached(let announced), .relaunched):
      state = announced ? .returning : .beginning
      return [.begin]
    case (.detached(announced: true), .waitedInVain(let error)):
      state = .ended
      return [.callDidFail(error), .ended]
    case (.detached(announced: false), .waitedInVain(let error)):
      state = .ended
      return [.answerLaunch(error), .ended]
    case (.returning, .relaunched), (.beginning, .relaunched):
      return [.begin]  // That daemon has gone too, with the ticket; the newest counts.
    case (.returning, .begun):
      state = .claiming
      return [.answerLaunch(nil)]
    case (.returning, .beginFailed(let error)):
      state = .ended
      return [.answerLaunch(error), .callDidFail(error), .ended]
    case (.returning, .doorLost):
      state = .detached(announced: true)
      return [.awaitDaemon]
    case (.returning, .closed):
      state = .ended
      return [.answerLaunch(Self.closing), .callDidFail(Self.closing), .ended]

    case (.continuing, .restored):
      state = .continuing(restored: true)
      return []
    case (.continuing, .continueReturned(handled: false)):
      state = .opening(restored: false)
      return [.callOpenDocument]
    case (.continuing(let restored), .continueReturned(handled: true)):
      return taken(restored)
    case (.opening, .restored):
      state = .opening(restored: true)
      return []
    case (.opening, .openReturned(handled: false)):
      state = .ended
      return [.finish(handled: false), .ended]
    case (.opening(let restored), .openReturned(handled: true)):
      return taken(restored)
    case (.restoring, .restored):
      state = .ended
      return [.finish(handled: true), .ended]
    case (.restoring, .restoreFailed):
      state = .ended
      return [.finish(handled: false), .ended]
    case (.continuing, .closed), (.opening, .closed), (.restoring, .closed):
      state = .ended
      return [.ended]

    case (.continuing, .relaunched), (.opening, .relaunched), (.restoring, .relaunched):
      return [.rejoin]
    case (.continuing, .rejoined), (.opening, .rejoined), (.restoring, .rejoined):
      return [.answerLaunch(nil)]
    case (.ended, .relaunched):
      // The application was told that it failed, and is told nothing more.
      return told == nil ? [.answerLaunch(Self.over)] : [.rejoin]
    case (.ended, .rejoined):
      // The daemon that was told of the end is gone; it may not have passed that on.
      return [.answerLaunch(nil)] + (told.map { [.finish(handled: $0)] } ?? [])
    case (.continuing, .rejoinFailed(let error)), (.opening, .rejoinFailed(let error)),
      (.restoring, .rejoinFailed(let error)),
      (.ended, .rejoinFailed(let error)):
      return [.answerLaunch(error)]

    case (.waiting, _), (.beginning, _), (.announcing, _), (.claiming, _), (.detached, _), (.returning, _),
      (.continuing, _), (.opening, _), (.restoring, _), (.ended, _):
      // Late or repeated news, for instance a connection's end after the claim was answered.
      return []
    }
  }

  /// Inside will_continue, which may run the application's main loop: the next daemon may come there too.
  private mutating func step(_ event: Event, announcing claim: Claim?) -> [Effect] {
    switch (claim, event) {
    case (nil, .claimed):
      state = .announcing(.claimed)
    case (nil, .claimFailed(let error)):
      state = .announcing(.failed(error))
    case (nil, .doorLost), (.begunAnew, .doorLost):
      state = .announcing(.lost)

    case (.claimed, .relaunched):
      return [.rejoin]
    case (.claimed, .rejoined):
      return [.answerLaunch(nil)]
    case (.claimed, .rejoinFailed(let error)):
      return [.answerLaunch(error)]
    case (_, .relaunched):
      state = .announcing(.begunAnew)
      return [.begin]
    case (.begunAnew, .begun):
      state = .announcing(nil)
      return [.answerLaunch(nil)]
    case (.begunAnew, .beginFailed(let error)):
      state = .announcing(.failed(error))
      return [.answerLaunch(error)]

    case (.begunAnew, .willReturned):
      state = .returning
    case (_, .willReturned):
      state = .claiming
      switch claim {
      case .claimed: return step(.claimed)
      case .failed(let error): return step(.claimFailed(error))
      case .lost: return step(.doorLost)
      case .begunAnew, nil: break
      }

    case (_, .closed):
      state = .ended
      let failure: [Effect] = [.callDidFail(Self.closing), .ended]
      return if case .begunAnew = claim { [.answerLaunch(Self.closing)] + failure } else { failure }

    case (_, _):
      break  // Late or repeated news.
    }
    return []
  }

  /// The application took the activity; it is continued when all is restored.
  private mutating func taken(_ restored: Bool) -> [Effect] {
    state = restored ? .ended : .restoring
    return restored ? [.finish(handled: true), .ended] : []
  }

  private static let over = SegueError(
    .notFound, "This continuation is over.", advice: "Continue again.")
  private static let closing = SegueError(.applicationExited, "The application is closing.")
}
