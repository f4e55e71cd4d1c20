import SegueCore

/// Carries out what a link's `Heartbeat` decides. It has one timer, which is set anew only where something is due earlier:
/// else it looks at the times when it rings.
final class Pulse {
  /// What the link is to do.
  enum Act { case beat, ping, lost }

  private var heartbeat: Heartbeat
  private let loop: SocketLoop
  private let acknowledgement: (UInt64) -> Acknowledgement
  private let act: (Act) -> Void
  private var timer: SocketTimer?
  /// When the timer rings.
  private var wake = UInt64.max
  private var isOver = false

  /// `acknowledgement`: what the peer's system has acknowledged, at a moment.
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
  func heard(_ now: UInt64) {
    heartbeat.heard(now)
    set(for: heartbeat.earliest, now)
  }

  /// It was a sign of life and no more, as on an idle link, where a timer that rings in vain would be noticed.
  func heardSign(_ now: UInt64) {
    wake = .max
    set(for: heartbeat.earliest, now)
  }

  /// The owner has sent something.
  func sent(_ now: UInt64) {
    heartbeat.sent(now)
    set(for: heartbeat.earliest, now)
  }

  /// Asks for a sign of life now.
  func probe(_ now: UInt64) {
    heartbeat.probe(now)
    step(now)
  }

  /// Another link beats now.
  func join(_ now: UInt64) {
    if heartbeat.join(now) { step(now) }
  }

  func stop() {
    isOver = true
    timer?.cancel()
  }

  /// Does what is due.
  func step(_ now: UInt64) {
    while !isOver {
      switch heartbeat.step(now, acknowledgement(now)) {
      case .beat: act(.beat)
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
      step(loop.milliseconds)
    }
  }
}
