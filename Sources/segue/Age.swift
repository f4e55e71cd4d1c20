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
}
