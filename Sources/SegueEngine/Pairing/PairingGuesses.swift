import SegueCore

/// How often a pairing by digits has ended undecided, over renewals and windows. Each time somebody in between may have
/// had a guess, so leaving costs the same as wrong digits (docs/pairing.md derives how many guesses that allows in a
/// day).
///
/// After a few of them, pairing by digits is paused for a while, each time for twice as long. The count is forgotten
/// after a long time without any.
struct PairingGuesses {
  private var count = 0
  private var nextPause = Limits.pairingPause
  private var last: Instant?
  private var pausedUntil: Instant?

  /// Counts one more. Returns for how long pairing by digits is paused, if the pause begins now.
  mutating func add(at now: Instant) -> UInt64? {
    if let last, last + Limits.pairingMemory <= now { self = PairingGuesses() }
    last = now
    count += 1
    guard count >= Limits.pairingFailures else { return nil }
    let pause = nextPause
    count = 0
    nextPause = min(pause * 2, Limits.pairingPauseMaximum)
    pausedUntil = now + pause
    return pause
  }

  /// For how long pairing by digits is still paused; nil: it is not.
  func rest(at now: Instant) -> UInt64? {
    guard let pausedUntil, now < pausedUntil else { return nil }
    return now.time(until: pausedUntil)
  }
}
