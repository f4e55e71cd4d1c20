import SegueCore

/// How long the receiver of what is said last may take for it: as long as it goes on taking some, within a bound.
struct Farewell {
  private var waiting: Int
  private var patience: Instant
  private let bound: Instant

  /// `waiting`: how many bytes the receiver has not taken.
  init(waiting: Int, at now: Instant) {
    self.waiting = waiting
    patience = now + Limits.shellHelloTime
    bound = now + Limits.shellFarewellTime
  }

  /// When the rest is dropped.
  var deadline: Instant { min(patience, bound) }

  mutating func waits(_ count: Int, at now: Instant) {
    if count < waiting { patience = now + Limits.shellHelloTime }
    waiting = count
  }
}
