/// The one timer of all dials: when it fires next. Times in milliseconds of a steady clock, which is read once in a
/// turn: a second reading may be later than a time that was computed from the first.
struct DialTimer {
  private var time: UInt64?

  /// In how many milliseconds the timer must fire for a dial at `wake`, which may have passed; nil where it fires in
  /// time anyway.
  mutating func set(for wake: UInt64, now: UInt64) -> UInt64? {
    if let time, time <= wake, time > now { return nil }
    time = wake
    return wake > now ? wake &- now : 1
  }

  /// Notes that the timer has fired.
  mutating func rang() { time = nil }
}
