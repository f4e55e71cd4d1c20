/// A moment at which something expires, is due or was seen: milliseconds of the one clock that all of these go by.
///
/// That clock is Linux's boot clock. It cannot be set, it is the same in all processes of a machine, and it goes on
/// while the machine sleeps: an hour's life is over after a lid was shut for two (semantics C7). Core has no clock;
/// callers pass moments in. Durations are plain milliseconds. Virtual time writes its moments as numbers.
public struct Instant: Comparable, Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// Since the machine was started.
  public let milliseconds: UInt64

  public init(milliseconds: UInt64) { self.milliseconds = milliseconds }

  public init(integerLiteral milliseconds: UInt64) { self.init(milliseconds: milliseconds) }

  /// The moment that never comes.
  public static let distantFuture = Instant(milliseconds: .max)

  /// So many milliseconds later; `distantFuture` past the end of counting.
  public static func + (instant: Instant, time: UInt64) -> Instant {
    let (sum, overflow) = instant.milliseconds.addingReportingOverflow(time)
    return overflow ? .distantFuture : Instant(milliseconds: sum)
  }

  /// So many milliseconds earlier; the beginning of counting where that was later.
  public static func - (instant: Instant, time: UInt64) -> Instant {
    Instant(milliseconds: instant.milliseconds > time ? instant.milliseconds &- time : 0)
  }

  public static func < (one: Instant, other: Instant) -> Bool { one.milliseconds < other.milliseconds }

  /// Milliseconds until `later`; 0 where that has passed.
  public func time(until later: Instant) -> UInt64 {
    later > self ? later.milliseconds &- milliseconds : 0
  }

  /// Milliseconds since `earlier`; 0 where that is still to come.
  public func time(since earlier: Instant) -> UInt64 { earlier.time(until: self) }

  /// When something ends that has so many milliseconds left; nil where that is so far away that it never comes. There
  /// is always a moment after it.
  public func deadline(in timeLeft: UInt64) -> Instant? {
    let deadline = self + timeLeft
    return deadline == .distantFuture ? nil : deadline
  }
}
