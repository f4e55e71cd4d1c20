import SegueCore

/// Carries out the decisions of a link's `Heartbeat`, in the ticks of the timer that all links share.
final class LinkLife {
  /// An action for the link.
  enum Act: Equatable {
    case heartbeat(patience: UInt64?)
    case ping, lost
  }

  /// What the link tells of its socket, and does.
  struct Ends {
    /// The state of the peer's acknowledgements at a moment.
    var acknowledgement: (UInt64) -> Acknowledgement
    /// Whether a heartbeat of the peer wakes nobody.
    var isQuiet: () -> Bool
    /// Reads one that has come so; `heard` is called meanwhile.
    var readWaiting: () -> Void
    var act: (Act) -> Void
  }

  private var heartbeat: Heartbeat
  private let loop: SocketLoop
  private let timer: HeartbeatTimer
  private let ends: Ends
  /// When the next step is due.
  private(set) var wake: UInt64
  private var isOver = false
  /// When the bytes arrived that are being read; nil where they are read as they come.
  private var arrival: UInt64?

  init(_ heartbeat: Heartbeat, on loop: SocketLoop, _ timer: HeartbeatTimer, _ ends: Ends) {
    self.heartbeat = heartbeat
    self.loop = loop
    self.timer = timer
    self.ends = ends
    wake = heartbeat.earliest
  }

  /// The link is up.
  func begin() { timer.add(self) }

  func stop() {
    isOver = true
    timer.remove(self)
  }

  /// Something has come from the peer.
  func heard() {
    heartbeat.heard(arrival ?? loop.milliseconds)
    setSooner()
  }

  /// It was a sign of life and no more.
  func heardSign() {
    wake = heartbeat.earliest
    if !isOver { timer.set() }
  }

  /// The owner has sent something.
  func sent() {
    look()
    heartbeat.sent(loop.milliseconds)
    setSooner()
  }

  /// TCP's user time-out is no longer set for a heartbeat.
  func unwatched() {
    heartbeat.unwatched()
    setSooner()
  }

  /// Asks for a sign of life now.
  func probe() {
    look()
    let now = loop.milliseconds
    heartbeat.probe(now)
    wake = now
    if !isOver { timer.tick() }
  }

  /// Takes a heartbeat that has come, at the time at which it came. Before anything else is noted: what was sent after the
  /// heartbeat has not been answered by it.
  func look() {
    guard !isOver, ends.isQuiet() else { return }
    arrival = ends.acknowledgement(loop.milliseconds).received
    ends.readWaiting()
    arrival = nil
  }

  /// Does what is due. Returns whether that was a heartbeat.
  func step(_ now: UInt64) -> Bool {
    look()
    var isSending = false
    while !isOver {
      switch heartbeat.step(now, ends.acknowledgement(now)) {
      case .heartbeat(let patience):
        isSending = true
        ends.act(.heartbeat(patience: patience))
      case .ping: ends.act(.ping)
      case .lost: ends.act(.lost)
      case .wait(let until):
        wake = until
        return isSending
      }
    }
    return isSending
  }

  /// Another link sends its heartbeat in this tick.
  func join(_ now: UInt64, gathers: Bool) {
    if !isOver, heartbeat.join(now, gathers: gathers) { _ = step(now) }
  }

  private func setSooner() {
    wake = min(wake, heartbeat.earliest)
    if !isOver { timer.set(for: wake) }
  }
}
