import SegueCore

/// How often a pairing by digits has ended undecided, over renewals and windows. Each time somebody in between may have
/// had a guess, so that leaving costs what wrong digits cost (docs/pairing.md derives what that comes to in a day).
///
/// After a few of them nobody can pair by digits for a while, which is twice as long each time. All is forgotten when
/// there was none for long.
struct PairingGuesses {
  private var count = 0
  private var nextPause = Limits.pairingPause
  private var last: Instant?
  private var pausedUntil: Instant?

  /// There was one more. Returns for how long nobody can pair by digits, if that begins with it.
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

  /// For how long still nobody can pair by digits; nil: everybody can.
  func rest(at now: Instant) -> UInt64? {
    guard let pausedUntil, now < pausedUntil else { return nil }
    return now.time(until: pausedUntil)
  }
}
