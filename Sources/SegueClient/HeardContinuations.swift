import SegueCore

/// The continuations that the application has been told of already. The daemon repeats each until it is sure that it
/// was heard (semantics X9); the application's callback runs once (V11).
public struct HeardContinuations: Sendable {
  /// The newest last.
  private var all: [Identifier] = []

  public init() {}

  /// Whether this continuation is new; it counts as told from now on.
  public mutating func isNew(_ continuation: Identifier) -> Bool {
    guard !all.contains(continuation) else { return false }
    all.append(continuation)
    if all.count > Limits.continuationsRemembered { all.removeFirst() }
    return true
  }
}
