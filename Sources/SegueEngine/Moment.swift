import SegueCore

/// The time of one turn, by the three clocks that decisions go by. It is read once, outside: within a turn no time
/// passes.
public struct Moment: Equatable, Sendable {
  /// What expires and what is due goes by this one.
  public var instant: Instant
  /// The wall clock, in seconds since 1970: for what outlives the machine's run, and for what people date.
  public var seconds: UInt64
  /// A clock for short times that only goes forward: where the time of a continuation goes.
  public var microseconds: UInt64

  public init(instant: Instant, seconds: UInt64, microseconds: UInt64) {
    self.instant = instant
    self.seconds = seconds
    self.microseconds = microseconds
  }
}
