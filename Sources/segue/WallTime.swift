import Glibc

/// The user's clock on the wall.
enum WallTime {
  /// Broken-down local time of a moment, in seconds since 1970; nil for one that has none.
  static func parts(_ seconds: UInt64) -> tm? {
    var time = time_t(clamping: seconds)
    var parts = tm()
    return localtime_r(&time, &parts) == nil ? nil : parts
  }

  /// The next moment after `now` at which the wall shows this time.
  static func next(hour: Int32, minute: Int32, after now: UInt64) -> UInt64? {
    for day in 0...2 as ClosedRange<Int32> {
      guard var wanted = parts(now) else { return nil }
      wanted.tm_mday += day
      (wanted.tm_hour, wanted.tm_min, wanted.tm_sec, wanted.tm_isdst) = (hour, minute, 0, -1)
      let time = mktime(&wanted)
      // An hour that the wall skips comes out as another one, which serves as well.
      if time > 0, UInt64(time) > now { return UInt64(time) }
    }
    return nil
  }

  /// The time, with its day if that is not today.
  static func text(_ seconds: UInt64, now: UInt64) -> String {
    guard let time = parts(seconds), let today = parts(now) else { return "an unknown time" }
    let clock = "\(twoDigits(time.tm_hour)):\(twoDigits(time.tm_min))"
    guard time.tm_yday != today.tm_yday || time.tm_year != today.tm_year else { return clock }
    return "\(1900 + time.tm_year)-\(twoDigits(time.tm_mon + 1))-\(twoDigits(time.tm_mday)) \(clock)"
  }

  private static func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
