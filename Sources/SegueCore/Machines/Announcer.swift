/// When a device tells its peers that its offers changed (`security.md`, limits): the first change after a pause at
/// once, a burst of ten, then one each `announceInterval`. However many changes, the last state is always sent.
public struct Announcer: Sendable {
  public static let burst: UInt64 = 10

  public enum Event: Sendable {
    case changed
    case timer
  }

  public enum Effect: Equatable, Sendable {
    case announce
    /// Send `timer` at this time.
    case wake(at: Instant)
  }

  private var tokens = Announcer.burst
  private var refilled: Instant = 0
  private var isWaiting = false

  public init() {}

  public mutating func handle(_ event: Event, now: Instant) -> [Effect] {
    let earned = now.time(since: refilled) / Limits.announceInterval
    if earned > 0 {
      tokens = min(Self.burst, tokens &+ min(earned, Self.burst))
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
