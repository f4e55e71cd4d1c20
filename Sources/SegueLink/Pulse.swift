import SegueCore

/// Carries out the decisions of a link's `Heartbeat`. It has one timer, which is set anew only if a step is due
/// earlier: otherwise it checks the times when the timer fires.
final class Pulse {
  /// An action for the link.
  enum Act { case beat, ping, lost }

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

  /// Notes that bytes have come from the peer.
  func heard(_ now: UInt64) {
    heartbeat.heard(now)
    set(for: heartbeat.earliest, now)
  }

  /// Notes that the bytes were only a sign of life, as on an idle link, where a timer that fires in vain would be
  /// noticed.
  func heardSign(_ now: UInt64) {
    wake = .max
    set(for: heartbeat.earliest, now)
  }

  /// Notes that the owner has sent data.
  func sent(_ now: UInt64) {
    heartbeat.sent(now)
    set(for: heartbeat.earliest, now)
  }

  /// Asks for a sign of life now.
  func probe(_ now: UInt64) {
    heartbeat.probe(now)
    step(now)
  }

  /// Called when another link beats.
  func join(_ now: UInt64) {
    if heartbeat.join(now) { step(now) }
  }

  func stop() {
    isOver = true
    timer?.cancel()
  }

  /// Takes the steps that are due.
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
