/// The end of a pause, as the user says it.
enum PauseTime {
  /// The moment that the text names, in seconds since 1970: "30min", "2h", "3d", "18:30" or "tomorrow", which begins at
  /// six in the morning. Nil for any other text.
  static func end(_ text: String, now: UInt64) -> UInt64? {
    if text == "tomorrow" { return tomorrow(now) }
    if let (hour, minute) = clock(text) { return WallTime.next(hour: hour, minute: minute, after: now) }
    let digits = text.utf8.prefix { $0.isDigit }
    guard let count = UInt64(String(decoding: digits, as: UTF8.self)), count > 0,
      let unit = seconds(in: String(decoding: text.utf8.dropFirst(digits.count), as: UTF8.self))
    else { return nil }
    let (length, isTooLong) = count.multipliedReportingOverflow(by: unit)
    let (end, isTooLate) = now.addingReportingOverflow(length)
    return isTooLong || isTooLate ? .max : end
  }

  private static func seconds(in unit: String) -> UInt64? {
    switch unit {
    case "m", "min": 60
    case "h": 3_600
    case "d": 86_400
    default: nil
    }
  }

  /// The next six o'clock in the morning; a person who is still up an hour before means the one after.
  private static func tomorrow(_ now: UInt64) -> UInt64? {
    WallTime.next(hour: 6, minute: 0, after: now + 3_600)
  }

  private static func clock(_ text: String) -> (hour: Int32, minute: Int32)? {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].count == 2,
      parts.allSatisfy({ (1...2).contains($0.count) && $0.allSatisfy(\.isDigit) }),
      let hour = Int32(String(decoding: parts[0], as: UTF8.self)), hour < 24,
      let minute = Int32(String(decoding: parts[1], as: UTF8.self)), minute < 60
    else { return nil }
    return (hour, minute)
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
