import SegueCore

/// Decides when an activity's save callbacks run, in the application (semantics S1-S4, S8, S9).
///
/// The library asks for a snapshot. The machine says whether a round of save callbacks comes first, and which requests
/// get the snapshot that is taken when the round ends. It lives as long as its activity.
public struct SaveMachine<Request: Equatable & Sendable>: Sendable {
  public enum Event: Sendable {
    /// The application said that the state changed, or that it did not.
    case needsSave(Bool)
    /// A snapshot is wanted.
    case requested(Request)
    /// The callbacks of a round have returned.
    case roundEnded
    /// The activity was continued here, and its restoration begins (true) or has ended (false).
    case restoring(Bool)
  }

  public enum Effect: Equatable, Sendable {
    /// Run the save callbacks, then send `roundEnded`.
    case runRound
    /// Take one snapshot of userInfo as it is now and answer these requests with it.
    case answer([Request])
  }

  /// Whether the state changed since the last round.
  public private(set) var needsSave = false
  /// While the activity is being restored no round runs: save callbacks would overwrite userInfo before the responders
  /// have restored from it.
  private var isRestoring = false
  /// The requests that wait for the running round; nil while none runs.
  private var waiting: [Request]?

  public init() {}

  /// Whether a round is running.
  public var isRunning: Bool { waiting != nil }

  public mutating func handle(_ event: Event) -> [Effect] {
    switch (event, waiting) {
    case (.needsSave(let needed), _):
      // S3: the round cleared it before it began, so a change that is told inside a callback survives the round.
      needsSave = needed
      return []
    case (.requested(let request), let others?):
      // S9: two fetches at once share one round.
      waiting = others + [request]
      return []
    case (.requested(let request), nil):
      guard needsSave, !isRestoring else { return [.answer([request])] }
      needsSave = false  // S2
      waiting = [request]
      return [.runRound]
    case (.roundEnded, let requests?):
      waiting = nil
      return [.answer(requests)]
    case (.roundEnded, nil):
      return []
    case (.restoring(let restoring), _):
      isRestoring = restoring
      return []
    }
  }
}
