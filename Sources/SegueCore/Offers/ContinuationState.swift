/// How far a continuation has come, as user interfaces are told.
public enum ContinuationState: String, Hashable, Sendable {
  case launching
  /// The application has begun it, and waits for the state.
  case begun
  /// The other device cannot be reached; it is waited for.
  case waiting
  /// The application says nothing for longer than usual (semantics V18).
  case notResponding = "not-responding"
  case continued
  case failed
}
