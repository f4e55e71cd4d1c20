import SegueCore

/// When to try again to reach a bus that is gone: soon at first, then ever less often, and not for ever. Pure.
public struct Reconnection {
  private let patience: UInt64
  private var since: Instant?
  private var attempts: UInt64 = 0

  /// `patience`: for how many milliseconds it is tried.
  public init(patience: UInt64) { self.patience = patience }

  /// The bus is gone, or was tried in vain. Milliseconds until it is to be tried again; nil: no more.
  public mutating func failed(now: Instant) -> UInt64? {
    guard now.time(since: since ?? now) <= patience else { return nil }
    since = since ?? now
    let time = min(Limits.reconnectTime, Limits.reconnectTimeFirst &<< min(attempts, 10))
    attempts &+= 1
    return time
  }

  /// The bus is there.
  public mutating func succeeded() { self = Reconnection(patience: patience) }
}
