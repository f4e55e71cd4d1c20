/// When to ping, and when a peer that does not answer is lost (X10). Times in milliseconds of a steady clock.
struct Heartbeat {
  enum Step: Equatable {
    case wait(until: UInt64)
    case ping
    case lost
  }

  /// Lateness of the timer beyond which this process is thought to have slept: what the peer sent may then still
  /// wait in the socket, and is read before the peer is given up.
  static let slack: UInt64 = 250

  private let pingTime: UInt64
  private let pongTime: UInt64
  /// When the ping under way must have been answered.
  private var deadline: UInt64?
  private var answered = false
  private var nextPing: UInt64

  init(pingTime: UInt64, pongTime: UInt64, now: UInt64) {
    self.pingTime = pingTime
    self.pongTime = pongTime
    nextPing = now + pingTime
  }

  /// Any byte of the peer's shows that it lives: an answer may be stuck behind data for a while.
  mutating func heard() { answered = true }

  /// Asks for a ping now, unless one is under way.
  mutating func probe(_ now: UInt64) {
    if deadline == nil || answered { nextPing = now }
  }

  /// What to do now. After `ping` it is asked again at once.
  mutating func step(_ now: UInt64) -> Step {
    if let deadline, !answered {
      if now < deadline { return .wait(until: deadline) }
      guard now > deadline + Self.slack else { return .lost }
      self.deadline = now + Self.slack
      return .wait(until: now + Self.slack)
    }
    guard now >= nextPing else { return .wait(until: nextPing) }
    answered = false
    deadline = now + pongTime
    nextPing = now + pingTime
    return .ping
  }
}
