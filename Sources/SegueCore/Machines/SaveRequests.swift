/// The saves that the origin's daemon has asked its applications for (semantics S6, S9, S11).
///
/// Two fetches of one activity at once share one save if they want the same of it, that is, if their `Save` is equal.
/// Each fetch gets exactly one answer.
public struct SaveRequests<Fetch: Equatable & Sendable, Save: Hashable & Sendable>: Sendable {
  public enum Event: Sendable {
    case fetch(Fetch, activity: Save)
    /// The application answered.
    case saved(Snapshot, activity: Save)
    case failed(SegueError, activity: Save)
    /// The application did not answer in time.
    case expired(activity: Save)
    /// The fetch's sender is gone, and needs no answer.
    case abandoned(Fetch)
  }

  public enum Effect: Equatable, Sendable {
    /// Ask the application, and start the timer.
    case askApplication(activity: Save)
    case stopTimer(activity: Save)
    case answer([Fetch], Snapshot)
    case fail([Fetch], SegueError)
  }

  private var waiting: [Save: [Fetch]] = [:]

  public init() {}

  public mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .fetch(let fetch, let activity):
      if let others = waiting[activity] {
        waiting[activity] = others + [fetch]
        return []
      }
      waiting[activity] = [fetch]
      return [.askApplication(activity: activity)]
    case .saved(let snapshot, let activity):
      guard let fetches = waiting.removeValue(forKey: activity) else { return [] }
      return [.stopTimer(activity: activity), .answer(fetches, snapshot)]
    case .failed(let error, let activity):
      guard let fetches = waiting.removeValue(forKey: activity) else { return [] }
      return [.stopTimer(activity: activity), .fail(fetches, error)]
    case .expired(let activity):
      guard let fetches = waiting.removeValue(forKey: activity) else { return [] }
      return [.fail(fetches, Self.timedOut)]
    case .abandoned(let fetch):
      // The save goes on in the application, and another fetch may join it.
      for (activity, fetches) in waiting where fetches.contains(fetch) {
        waiting[activity] = fetches.filter { $0 != fetch }
      }
      return []
    }
  }

  private static var timedOut: SegueError {
    SegueError(
      .remoteApplicationTimedOut, "The application on the other device did not save its state in time.",
      advice: "Look whether it hangs there, or continue again.")
  }
}
