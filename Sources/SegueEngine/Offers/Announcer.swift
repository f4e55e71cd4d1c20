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

  private let burst: UInt64
  private let interval: UInt64
  private var tokens: UInt64
  private var refilled: Instant = 0
  /// Something has changed that is not announced yet.
  public private(set) var isWaiting = false

  public init(burst: UInt64 = Limits.announceBurst, interval: UInt64 = Limits.announceInterval) {
    self.burst = burst
    self.interval = interval
    tokens = burst
  }

  public mutating func handle(_ event: Event, now: Instant) -> [Effect] {
    let earned = now.time(since: refilled) / interval
    if earned > 0 {
      tokens = min(burst, tokens &+ min(earned, burst))
      refilled = now
    }
    switch event {
    case .changed where isWaiting, .timer where !isWaiting:
      return []
    case .changed, .timer:
      guard tokens > 0 else {
        isWaiting = true
        return [.wake(at: now + interval)]
      }
      tokens &-= 1
      isWaiting = false
      return [.announce]
    }
  }
}
