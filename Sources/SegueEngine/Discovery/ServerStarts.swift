import SegueCore

/// Decides when the bus is asked to start a notification server that does not run. After a server could not be started,
/// or ended before it had shown anything, there is a pause, which doubles each time.
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

  /// Whether a server may be started now. If so, that counts as an attempt.
  public mutating func start(now: Instant) -> Bool {
    if let next, now < next { return false }
    next = now + pause
    pause = min(pause &* 2, maximum)
    return true
  }

  /// The server has shown something.
  public mutating func worked() {
    next = nil
    pause = first
  }
}
