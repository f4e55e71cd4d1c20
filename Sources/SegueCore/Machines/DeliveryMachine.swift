/// One continuation inside the application that takes it over: from the launch message to the finish.
///
/// It holds Apple's invariant: for each will_continue exactly one of continue and did_fail is called (semantics V1),
/// nothing before the application is ready (V8), and the launch message is answered only when the daemon has accepted
/// the claim (V18).
public struct DeliveryMachine: Sendable {
  public enum Event: Sendable {
    /// The application called ready, or had before.
    case ready
    /// The daemon accepted the ticket and told what is coming.
    case begun
    /// The daemon refused the ticket, or went away before it answered.
    case beginFailed(SegueError)
    /// will_continue has returned.
    case willReturned
    /// The claim's reply: the activity.
    case claimed
    /// The claim's reply: an error. Also when the daemon went away.
    case claimFailed(SegueError)
    /// continue_activity has returned, or was absent (false).
    case continueReturned(handled: Bool)
    /// The restoration handler was called, and all restores returned, or was released.
    case restored
    /// The application is going.
    case closed
  }

  public enum Effect: Equatable, Sendable {
    /// Show the ticket at the door, and claim right behind it.
    case begin
    /// Answer the launch message.
    case answerLaunch(SegueError?)
    case callWillContinue
    case callContinue
    case callDidFail(SegueError)
    /// Tell the daemon how it ended.
    case finish(handled: Bool)
    /// Nothing more will come.
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
    /// In continue_activity; the restoration may already be over.
    case continuing(restored: Bool)
    /// continue returned true; the restoration is not over.
    case restoring
    case ended
  }

  private enum Claim: Sendable {
    case claimed
    case failed(SegueError)
  }

  private var state = State.waiting

  public init() {}

  /// Whether nothing more will come.
  public var isEnded: Bool {
    if case .ended = state { return true }
    return false
  }

  public mutating func handle(_ event: Event) -> [Effect] {
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
    case (.beginning, .closed):
      state = .ended
      return [.answerLaunch(Self.closing), .ended]

    case (.announcing(nil), .claimed):
      state = .announcing(.claimed)
      return []
    case (.announcing(nil), .claimFailed(let error)):
      state = .announcing(.failed(error))
      return []
    case (.announcing(let claim), .willReturned):
      state = .claiming
      switch claim {
      case .claimed: return handle(.claimed)
      case .failed(let error): return handle(.claimFailed(error))
      case nil: return []
      }

    case (.claiming, .claimed):
      state = .continuing(restored: false)
      return [.callContinue]
    case (.claiming, .claimFailed(let error)):
      state = .ended
      return [.callDidFail(error), .ended]
    case (.claiming, .closed), (.announcing, .closed):
      state = .ended
      return [.callDidFail(Self.closing), .ended]

    case (.continuing, .restored):
      state = .continuing(restored: true)
      return []
    case (.continuing, .continueReturned(handled: false)), (.continuing(restored: true), .continueReturned):
      guard case .continueReturned(let handled) = event else { return [] }
      state = .ended
      return [.finish(handled: handled), .ended]
    case (.continuing(restored: false), .continueReturned(handled: true)):
      state = .restoring
      return []
    case (.restoring, .restored):
      state = .ended
      return [.finish(handled: true), .ended]
    case (.continuing, .closed), (.restoring, .closed):
      state = .ended
      return [.ended]

    case (.waiting, _), (.beginning, _), (.announcing, _), (.claiming, _), (.continuing, _), (.restoring, _),
      (.ended, _):
      // Late or repeated news, for instance a connection's end after the claim was answered.
      return []
    }
  }

  private static let closing = SegueError(.applicationExited, "The application is closing.")
}
