import SegueCore

/// Decides when what has changed is said, or written down. After a pause as many announcements as a burst has go out at
/// once, later ones one in each interval. The last state is always announced.
public struct Announcer: Sendable {
  public enum Event: Sendable {
    case changed
    case timer
  }

  public enum Effect: Equatable, Sendable {
    case announce
    /// Send `timer` at this time.
    case wake(at: Instant)
  }

  private var allowance: Allowance
  /// Something has changed that is not announced yet.
  public private(set) var isWaiting = false

  public init(burst: UInt64 = Limits.announceBurst, interval: UInt64 = Limits.announceInterval) {
    allowance = Allowance(burst: burst, interval: interval)
  }

  public mutating func handle(_ event: Event, now: Instant) -> [Effect] {
    switch event {
    case .changed where isWaiting, .timer where !isWaiting:
      return []
    case .changed, .timer:
      let wait = allowance.admit(at: now)
      isWaiting = wait > 0
      return [isWaiting ? .wake(at: now + wait) : .announce]
    }
  }
}
