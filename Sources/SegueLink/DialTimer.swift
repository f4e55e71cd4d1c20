/// The one timer of all dials: when it rings next. Times in milliseconds of a steady clock, which is read once in a turn:
/// of two readings the second may be later than what was reckoned with the first.
struct DialTimer {
  private var time: UInt64?

  /// In how many milliseconds it is to ring, since somebody is to be dialled at `wake`, which may have passed; nil where
  /// it rings in time anyway.
  mutating func set(for wake: UInt64, now: UInt64) -> UInt64? {
    if let time, time <= wake, time > now { return nil }
    time = wake
    return wake > now ? wake &- now : 1
  }

  /// It has rung.
  mutating func rang() { time = nil }
}
