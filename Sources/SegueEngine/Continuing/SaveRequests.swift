import SegueCore

/// The saves that the origin's daemon has asked its applications for (semantics S6, S9, S11).
///
/// Simultaneous fetches of one activity share one save if their `Save` is equal, that is, if they want the same of it.
/// A `Line` is one device's fetches of one activity. It has few saves at a time, whatever the fetches want; the next
/// save is asked for when one has ended (attack 33). Each fetch gets exactly one answer.
public struct SaveRequests<Fetch: Equatable & Sendable, Save: Hashable & Sendable, Line: Equatable & Sendable>:
  Sendable
{
  public enum Event: Sendable {
    /// `line`: nil for a fetch that need not wait for a turn.
    case fetch(Fetch, activity: Save, line: Line?)
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

  private struct Pending {
    var fetches: [Fetch]
    /// The line of the fetch that caused the request.
    let line: Line?
  }

  /// A fetch whose turn has not come.
  private struct Later {
    let fetch: Fetch
    let activity: Save
    let line: Line
  }

  private var pending: [Save: Pending] = [:]
  /// The oldest first.
  private var later: [Later] = []

  public init() {}

  public mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .fetch(let fetch, let activity, let line):
      if pending[activity] != nil {
        pending[activity]?.fetches.append(fetch)
        return []
      }
      if let line, isFull(line) {
        later.append(Later(fetch: fetch, activity: activity, line: line))
        return []
      }
      return [ask(activity, line, for: [fetch])]
    case .saved(let snapshot, let activity):
      return end(activity) { [.stopTimer(activity: activity), .answer($0, snapshot)] }
    case .failed(let error, let activity):
      return end(activity) { [.stopTimer(activity: activity), .fail($0, error)] }
    case .expired(let activity):
      return end(activity) { [.fail($0, Self.timedOut)] }
    case .abandoned(let fetch):
      later.removeAll { $0.fetch == fetch }
      // The save goes on in the application, and another fetch may join it.
      for (activity, request) in pending where request.fetches.contains(fetch) {
        pending[activity]?.fetches.removeAll { $0 == fetch }
      }
      return []
    }
  }

  private func isFull(_ line: Line) -> Bool {
    pending.values.count { $0.line == line } >= Limits.savesPerDevice
  }

  /// Ends the request for all fetches that wait for it, and asks the next one of its line.
  private mutating func end(_ activity: Save, _ effects: ([Fetch]) -> [Effect]) -> [Effect] {
    guard let request = pending.removeValue(forKey: activity) else { return [] }
    let next = later.first { $0.line == request.line }?.activity
    return effects(request.fetches) + (next.map { [ask($0, request.line)] } ?? [])
  }

  /// Fetches of any line that wait for the same save share it.
  private mutating func ask(_ activity: Save, _ line: Line?, for fetches: [Fetch] = []) -> Effect {
    let others = later.filter { $0.activity == activity }.map { $0.fetch }
    later.removeAll { $0.activity == activity }
    pending[activity] = Pending(fetches: others + fetches, line: line)
    return .askApplication(activity: activity)
  }

  private static var timedOut: SegueError {
    SegueError(
      .remoteApplicationTimedOut, "The application on the other device did not save its state in time.",
      advice: "Check whether it hangs there, or continue again.")
  }
}
