import SegueCore

/// The ticks in which all links of a device do what is due for their heartbeats. Links that send together have their
/// peers answer together, and so tick together from then on.
struct Rhythm {
  /// The last ticks, one more than may be in `heartbeatWindow`.
  private var ticks: [UInt64] = []
  /// When the links were gathered last.
  private var gathered: UInt64?

  /// One tick. `step` has a link do what is due, and tells whether it has sent a heartbeat; then `join` is called for
  /// each, so that others send theirs early.
  mutating func tick<Link>(
    _ links: [Link], _ now: UInt64, step: (Link) -> Bool, join: (_ link: Link, _ gathers: Bool) -> Void
  ) {
    ticks.append(now)
    if ticks.count > Limits.heartbeatTicks + 1 { ticks.removeFirst() }
    var isSending = false
    for link in links where step(link) { isSending = true }
    guard isSending else { return }
    let gathers = gathers(now)
    for link in links { join(link, gathers) }
  }

  /// Whether the links tick too often, each at times of its own: then all send now, also out of turn. They would disagree
  /// again where their peers gather links of their own, so this costs a heartbeat on each link, and happens seldom.
  private mutating func gathers(_ now: UInt64) -> Bool {
    guard ticks.count > Limits.heartbeatTicks, let first = ticks.first, now - first < Limits.heartbeatWindow,
      gathered.map({ now - $0 >= Limits.gatheringTime }) ?? true
    else { return false }
    gathered = now
    return true
  }
}
