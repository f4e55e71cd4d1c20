import SegueBus
import SegueCore
import SegueEngine

/// A caller, and the holder whose share of limited resources it uses.
struct Caller {
  let verdict: CallerIdentity.Verdict
  let holder: DoorSlots.Holder
}

/// Callers on one bus that were looked at. A bus never gives a unique name twice, so entries do not become wrong.
struct Callers {
  private var known: [BusName: Caller] = [:]

  subscript(_ name: BusName) -> Caller? { known[name] }

  /// Where there are too many, all are looked at anew.
  mutating func remember(_ caller: Caller, of name: BusName) {
    if known.count >= Limits.callersRemembered { known = [:] }
    known[name] = caller
  }
}
