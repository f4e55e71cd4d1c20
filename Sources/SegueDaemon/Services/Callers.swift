import SegueBus
import SegueCore

/// Callers on one bus that were looked at. A bus never gives a unique name twice, so entries do not become wrong.
struct Callers {
  private var known: [BusName: CallerIdentity.Verdict] = [:]

  subscript(_ name: BusName) -> CallerIdentity.Verdict? { known[name] }

  /// Where there are too many, all are looked at anew.
  mutating func remember(_ caller: CallerIdentity.Verdict, of name: BusName) {
    if known.count >= Limits.callersRemembered { known = [:] }
    known[name] = caller
  }
}
