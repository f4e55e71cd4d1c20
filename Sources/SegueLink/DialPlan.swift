import SegueCore

/// When and where to dial one peer: eagerly after a loss, then ever less often (X10). Times in milliseconds of a
/// steady clock.
struct DialPlan {
  private(set) var addresses: [LinkAddress]
  private let settings: LinkSettings
  private var lostAt: UInt64
  private var interval: UInt64
  private var nextAt: UInt64
  private var turn = 0
  /// Addresses that have not been dialled yet.
  private var untried: Int
  /// Whether the addresses dialled now are dialled for the first time since a start.
  var isFirstRound: Bool { untried > 0 }
  private var isFailureTold = false
  /// Whether the last link ended before `lastingTime`.
  private var wasShort = false
  /// After a short link, the moment until which devices found by discovery are not probed for the peer: each time
  /// later.
  private var restsUntil: UInt64 = 0
  private var rest: UInt64

  /// The plan of a peer that is to be dialled now.
  init(addresses: [LinkAddress], settings: LinkSettings, now: UInt64) {
    self.addresses = addresses
    self.settings = settings
    lostAt = now
    interval = settings.dialTime
    rest = settings.dialTime
    nextAt = now
    untried = addresses.count
  }

  /// The network has changed: dial at once, and eagerly again.
  mutating func restart(_ now: UInt64) { self = DialPlan(addresses: addresses, settings: settings, now: now) }

  /// Notes the loss of the link that came up at `since`. A link that did not last counts as a dial that failed: a peer
  /// that takes each link and leaves it is dialled no more often than one that is away.
  mutating func lost(since: UInt64, now: UInt64) {
    guard now < since + settings.lastingTime else { return restart(now) }
    untried = addresses.count
    isFailureTold = false
    wasShort = true
    restsUntil = now + rest
    rest = min(rest * 2, settings.dialTimeMaximum)
  }

  /// Whether this device looks for the peer among the devices that discovery has found.
  func isSought(_ now: UInt64) -> Bool { now >= restsUntil }

  /// Replaces the addresses; new ones are dialled at once. A peer that takes each link and leaves it does not speed up
  /// its dials by announcing ever new addresses.
  mutating func replace(_ addresses: [LinkAddress], now: UInt64) {
    guard addresses != self.addresses else { return }
    let former = self
    self.addresses = addresses
    restart(now)
    guard former.wasShort else { return }
    (lostAt, interval) = (former.lostAt, former.interval)
    (wasShort, restsUntil, rest) = (true, former.restsUntil, former.rest)
  }

  /// When `due` is to be asked again; nil if there is nothing to dial.
  var wake: UInt64? { addresses.isEmpty ? nil : nextAt }

  /// The addresses to dial now, given how many dials are under way. `chance` (0 to 1) spreads the dials of devices that
  /// lost each other at the same moment, so that they do not cross for ever.
  mutating func due(_ now: UInt64, underway: Int, chance: Double) -> [LinkAddress] {
    guard !addresses.isEmpty, now >= nextAt else { return [] }
    if now >= lostAt + settings.eagerTime { interval = min(interval * 2, settings.dialTimeMaximum) }
    // At most a tenth is taken off: a dial never comes later than promised.
    nextAt = now + interval - UInt64(Double(interval) * 0.1 * min(max(chance, 0), 1))
    var chosen: [LinkAddress] = []
    while chosen.count < min(addresses.count, Limits.dialsAtOnce - underway) {
      chosen.append(addresses[turn % addresses.count])
      turn = (turn + 1) % addresses.count
    }
    untried -= min(untried, chosen.count)
    return chosen
  }

  /// Whether every address was dialled, and no dial is under way that could still lead to a link. True once.
  mutating func hasFailed(underway: Int) -> Bool {
    guard untried == 0, underway == 0, !isFailureTold else { return false }
    isFailureTold = true
    return true
  }
}
