/// How far a continuation has come, in the words that user interfaces are told.
public enum ContinuationState: String, Hashable, Sendable {
  case launching
  /// The application has begun it, and waits for the state.
  case begun
  /// The other device cannot be reached; the continuation waits for it.
  case waiting
  /// The application has not answered for longer than usual (semantics V18).
  case notResponding = "not-responding"
  case continued
  case failed
}
