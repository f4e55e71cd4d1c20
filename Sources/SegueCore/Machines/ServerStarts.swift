/// When the bus is asked to start a notification server that does not run. One that could not be started, or that ended
/// before it had shown anything, is left alone for a while, twice as long each time.
public struct ServerStarts: Sendable {
  private let first: UInt64
  private let maximum: UInt64
  private var pause: UInt64
  private var next: Instant?

  /// Pauses in milliseconds: the first, and the longest.
  public init(first: UInt64 = Limits.noticeStartTime, maximum: UInt64 = Limits.noticeStartTimeMaximum) {
    self.first = first
    self.maximum = max(first, maximum)
    pause = first
  }

  /// Whether it may be started now, which then counts as done.
  public mutating func start(now: Instant) -> Bool {
    if let next, now < next { return false }
    next = now + pause
    pause = min(pause &* 2, maximum)
    return true
  }

  /// It has shown something.
  public mutating func worked() {
    next = nil
    pause = first
  }
}
