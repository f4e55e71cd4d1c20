/// The continuations of an application's activities that the application has been told of. The daemon says each until it
/// is sure that it was heard (semantics X9), the application hears it once (V11).
public struct HeardContinuations: Sendable {
  /// The newest last.
  private var all: [Identifier] = []

  public init() {}

  /// Whether nobody has told of this one yet.
  public mutating func isNew(_ continuation: Identifier) -> Bool {
    guard !all.contains(continuation) else { return false }
    all.append(continuation)
    if all.count > Limits.continuationsRemembered { all.removeFirst() }
    return true
  }
}
