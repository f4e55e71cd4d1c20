import SegueCore

extension Limits {
  // MARK: Activities
  /// Responders in one chain that are looked at, from the focused one on.
  public static let responderChain = 256

  // MARK: Continuations
  /// Launch messages of one application that are not answered: it is not ready, or the daemon's name has no owner yet.
  public static let deliveriesWaiting = 16
  /// Ended continuations that an application remembers for a daemon that has lost the news (X9).
  public static let deliveriesRemembered = 16
  /// Continuations that an application remembers, so as to be told once (V11).
  public static let continuationsRemembered = 128
}
