import SegueCore

/// Carries out the decisions of a link's `Heartbeat`. It has one timer, which is set anew only if a step is due
/// earlier: otherwise it checks the times when the timer fires.
final class HeartbeatTimer {
  /// An action for the link.
  enum Act { case heartbeat, ping, lost }

  private var heartbeat: Heartbeat
  private let loop: SocketLoop
  private let acknowledgement: (UInt64) -> Acknowledgement
  private let act: (Act) -> Void
  private var timer: SocketTimer?
  /// When the timer fires.
  private var wake = UInt64.max
  private var isOver = false

  /// `acknowledgement`: gives the state of the peer's acknowledgements at a moment.
  init(
    _ heartbeat: Heartbeat, on loop: SocketLoop, acknowledgement: @escaping (UInt64) -> Acknowledgement,
    act: @escaping (Act) -> Void
  ) {
    self.heartbeat = heartbeat
    self.loop = loop
    self.acknowledgement = acknowledgement
    self.act = act
  }

  /// Something has come from the peer.
  func heard() {
    let now = loop.milliseconds
    heartbeat.heard(now)
    set(for: heartbeat.earliest, now)
  }

  /// It was a sign of life and no more, as on an idle link, where a timer that rings in vain would be noticed.
  func heardSign() {
    wake = .max
    set(for: heartbeat.earliest, loop.milliseconds)
  }

  /// The owner has sent something.
  func sent() {
    let now = loop.milliseconds
    heartbeat.sent(now)
    set(for: heartbeat.earliest, now)
  }

  /// Asks for a sign of life now.
  func probe() {
    heartbeat.probe(loop.milliseconds)
    step()
  }

  /// Another link sends its heartbeat now.
  func join() {
    if heartbeat.join(loop.milliseconds) { step() }
  }

  func stop() {
    isOver = true
    timer?.cancel()
  }

  /// Does what is due.
  func step() {
    let now = loop.milliseconds
    while !isOver {
      switch heartbeat.step(now, acknowledgement(now)) {
      case .heartbeat: act(.heartbeat)
      case .ping: act(.ping)
      case .lost: return act(.lost)
      case .wait(let until): return set(for: until, now)
      }
    }
  }

  private func set(for time: UInt64, _ now: UInt64) {
    guard !isOver, time < wake else { return }
    timer?.cancel()
    wake = time
    timer = loop.timer(after: time - min(time, now)) { [weak self] in
      guard let self else { return }
      wake = .max
      step()
    }
  }
}
