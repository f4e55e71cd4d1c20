/// Decides when a device tells others that its offers have changed (`security.md`, limits). The first ten announcements
/// after a pause go out at once, later ones each `announceInterval`. The last state is always sent.
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

  private var tokens = Limits.announceBurst
  private var refilled: Instant = 0
  private var isWaiting = false

  public init() {}

  public mutating func handle(_ event: Event, now: Instant) -> [Effect] {
    let earned = now.time(since: refilled) / Limits.announceInterval
    if earned > 0 {
      tokens = min(Limits.announceBurst, tokens &+ min(earned, Limits.announceBurst))
      refilled = now
    }
    switch event {
    case .changed where isWaiting, .timer where !isWaiting:
      return []
    case .changed, .timer:
      guard tokens > 0 else {
        isWaiting = true
        return [.wake(at: now + Limits.announceInterval)]
      }
      tokens &-= 1
      isWaiting = false
      return [.announce]
    }
  }
}
