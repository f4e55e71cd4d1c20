import SegueCore

/// The one timer for the heartbeats of all links: each of its own would wake the process within milliseconds of the
/// others'. It rings when the first link has something to do, and then all look.
final class HeartbeatTimer {
  private let loop: SocketLoop
  private var links: [ObjectIdentifier: LinkLife] = [:]
  private var rhythm = Rhythm()
  private var timer: SocketTimer?
  /// When the timer rings.
  private var ring = UInt64.max
  private var isTicking = false
  /// Whether a tick was asked for within a tick.
  private var isDue = false

  init(on loop: SocketLoop) { self.loop = loop }

  func add(_ link: LinkLife) {
    links[ObjectIdentifier(link)] = link
    set(for: link.wake)
  }

  func remove(_ link: LinkLife) {
    links[ObjectIdentifier(link)] = nil
    if links.isEmpty { set() }
  }

  /// Does what is due on any link.
  func tick() {
    isDue = true
    guard !isTicking else { return }
    isTicking = true
    while isDue {
      isDue = false
      let now = loop.milliseconds
      rhythm.tick(Array(links.values), now, step: { $0.step(now) }, join: { $0.join(now, gathers: $1) })
    }
    isTicking = false
    set()
  }

  /// A link has something to do at that time: the timer is set anew only if that is earlier. Otherwise the times are
  /// checked when it rings.
  func set(for time: UInt64) {
    if time < ring { set(at: time) }
  }

  /// Sets the timer to the earliest time of all, as on idle links, where a timer that rings in vain would be noticed.
  func set() { set(at: links.values.reduce(.max) { min($0, $1.wake) }) }

  private func set(at time: UInt64) {
    // A tick sets it when it is over.
    guard !isTicking, time != ring else { return }
    timer?.cancel()
    timer = nil
    ring = time
    guard time < .max else { return }
    let now = loop.milliseconds
    timer = loop.timer(after: time - min(time, now)) { [weak self] in
      guard let self else { return }
      ring = .max
      tick()
    }
  }
}
