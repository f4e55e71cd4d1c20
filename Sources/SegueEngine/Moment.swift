import SegueCore

/// The time of one turn, on each of the three clocks that decisions use. The runner reads the clocks once for each
/// turn: within a turn no time passes.
public struct Moment: Equatable, Sendable {
  /// For deadlines and expiry.
  public var instant: Instant
  /// The wall clock, in seconds since 1970: for times that are stored on disk or shown to people.
  public var seconds: UInt64
  /// A monotonic clock, for measuring the phases of a continuation.
  public var microseconds: UInt64

  public init(instant: Instant, seconds: UInt64, microseconds: UInt64) {
    self.instant = instant
    self.seconds = seconds
    self.microseconds = microseconds
  }
}
