/// A day of the calendar, as manifests have it: `2027-01-31`.
public struct CivilDate: Equatable, Sendable {
  /// Days since 1970-01-01.
  public let day: Int64

  /// The day of a moment, in seconds since 1970, in universal time.
  public init(seconds: UInt64) { day = Int64(truncatingIfNeeded: seconds / 86_400) }

  /// Nil unless the text is a day between 1970 and 9999.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      let year = Self.number(bytes[..<4]), let month = Self.number(bytes[5..<7]), let day = Self.number(bytes[8...]),
      year >= 1970, (1...12).contains(month), (1...Self.length(month, year)).contains(day)
    else { return nil }
    // Years begin in March, so that the odd day stands last.
    let shifted = month > 2 ? year : year &- 1
    let era = shifted / 400
    let inEra = shifted &- era &* 400
    let inYear = (153 &* (month > 2 ? month &- 3 : month &+ 9) &+ 2) / 5 &+ day &- 1
    self.day = era &* 146_097 &+ inEra &* 365 &+ inEra / 4 &- inEra / 100 &+ inYear &- 719_468
  }

  /// The first second after the day, since 1970.
  public var end: UInt64 { UInt64(clamping: (day &+ 1) &* 86_400) }

  public var description: String {
    let shifted = day &+ 719_468
    let era = shifted / 146_097
    let inEra = shifted &- era &* 146_097
    let yearOfEra = (inEra &- inEra / 1_460 &+ inEra / 36_524 &- inEra / 146_096) / 365
    let inYear = inEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
    let month = (5 &* inYear &+ 2) / 153
    let dayOfMonth = inYear &- (153 &* month &+ 2) / 5 &+ 1
    let calendarMonth = month < 10 ? month &+ 3 : month &- 9
    let year = yearOfEra &+ era &* 400 &+ (calendarMonth <= 2 ? 1 : 0)
    return "\(year)-\(calendarMonth < 10 ? "0" : "")\(calendarMonth)-\(dayOfMonth < 10 ? "0" : "")\(dayOfMonth)"
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    var number: Int64 = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      number = number &* 10 &+ Int64(digit &- UInt8(ascii: "0"))
    }
    return number
  }

  private static func length(_ month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
