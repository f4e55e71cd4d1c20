/// How long ago something was, in one unit.
enum Age {
  static func text(_ milliseconds: UInt64) -> String {
    let seconds = milliseconds / 1_000
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3_600: return "\(seconds / 60) min"
    case ..<86_400: return "\(seconds / 3_600) h"
    default: return "\(seconds / 86_400) d"
    }
  }

  /// How long before `now` it was. Both are in seconds since 1970.
  static func ago(_ time: UInt64, at now: UInt64) -> String {
    let seconds = now > time ? now - time : 0
    return text(seconds.multipliedReportingOverflow(by: 1_000).partialValue) + " ago"
  }
}
