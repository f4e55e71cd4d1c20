/// When to give a sign of life, when to ask for one, and when a peer that gives none is lost (X10). Times in
/// milliseconds of a steady clock.
///
/// On an idle link the two sides take turns: the side that received last sends a heartbeat, which the other does not
/// answer. The TCP acknowledgement of the heartbeat shows that the peer's host is there; the peer's own heartbeat, that
/// the peer is. A side whose turn it is not, and that waits for the peer's heartbeat in vain, asks with a ping. So does
/// a side that has sent data of its owner and receives nothing for a while: bytes that this side sends are no sign of
/// the peer's life.
struct Heartbeat {
  enum Step: Equatable {
    case wait(until: UInt64)
    case heartbeat
    case ping
    case lost
  }

  /// Lateness of the timer beyond which this process is thought to have slept: the peer's bytes may then still wait in
  /// the socket, and are read before the peer is given up.
  static let slack: UInt64 = 250

  private let settings: LinkSettings
  private let isFirst: Bool
  /// How long before the end of the silence a heartbeat leaves: as long as TCP needs to send it a second time. At half of
  /// that the other side's heartbeat counts as missed.
  private var reserve: UInt64
  /// When the last sign of life came.
  private var life: UInt64
  /// Whether this side received last, and sends the next heartbeat.
  private var isNext = true
  /// When this side first sent since then.
  private var sent: UInt64?
  /// When a ping is due.
  private var pingDue: UInt64?
  /// When the ping under way must have been answered.
  private var deadline: UInt64?
  private var hasSlept = false
  private var isJoining = false

  /// `isFirst`: true on one of the two sides, which sends the first heartbeat if both have received at the same time.
  init(_ settings: LinkSettings, isFirst: Bool, now: UInt64) {
    self.settings = settings
    self.isFirst = isFirst
    reserve = settings.silenceTime - settings.heartbeatTime
    life = now
  }

  /// Notes bytes of the peer. Any byte shows that it lives: an answer may be stuck behind data for a while.
  mutating func heard(_ now: UInt64) {
    life = now
    isNext = true
    sent = nil
    pingDue = nil
    deadline = nil
    hasSlept = false
  }

  /// Notes that the owner has sent data.
  mutating func sent(_ now: UInt64) {
    speak(now)
    if pingDue == nil, deadline == nil { pingDue = now + settings.pingTime }
  }

  /// The moment before which no step has anything to do.
  var earliest: UInt64 { deadline ?? min(pingDue ?? .max, due) }

  /// Asks for a ping now, unless one is under way.
  mutating func probe(_ now: UInt64) {
    if deadline == nil { pingDue = now }
  }

  /// Called when another link of this device sends a heartbeat. This one joins if its own heartbeat is due soon: then one
  /// wake serves both, from now on, since the peer's turn follows from this one. Returns whether it joins.
  mutating func join(_ now: UInt64) -> Bool {
    isJoining = isNext && deadline == nil && now + settings.heartbeatTime / 2 >= due
    return isJoining
  }

  /// The step to take now. After `heartbeat` and `ping` the caller asks again at once.
  mutating func step(_ now: UInt64, _ acknowledgement: Acknowledgement) -> Step {
    reserve = min(settings.silenceTime - settings.heartbeatTime, 2 * acknowledgement.timeout)
    if let sent, acknowledgement.isComplete {
      life = max(life, sent)
      self.sent = nil
    } else if let sent, acknowledgement.last > sent {
      life = max(life, acknowledgement.last)
      self.sent = acknowledgement.last
    }
    if let deadline {
      if now >= deadline {
        guard !hasSlept, now > deadline + Self.slack else { return .lost }
        hasSlept = true
        self.deadline = now + Self.slack
      }
    } else if let pingDue, now >= pingDue {
      return ask(now)
    }
    let asked = deadline ?? pingDue ?? .max
    if let sent {
      let end = max(life + settings.silenceTime, sent + reserve / 2)
      return now >= end ? .lost : .wait(until: min(end, asked))
    }
    // Neither side sends a heartbeat while a ping is under way.
    if deadline != nil || now < due && !isJoining { return .wait(until: deadline ?? min(due, asked)) }
    if !isNext { return ask(now) }
    speak(now)
    return .heartbeat
  }

  /// When this side sends a heartbeat, or counts the other's heartbeat as missed.
  private var due: UInt64 {
    life + settings.silenceTime - (isNext ? reserve + (isFirst ? reserve / 4 : 0) : reserve / 2)
  }

  private mutating func ask(_ now: UInt64) -> Step {
    speak(now)
    pingDue = nil
    deadline = now + settings.pongTime
    hasSlept = false
    return .ping
  }

  private mutating func speak(_ now: UInt64) {
    isNext = false
    isJoining = false
    sent = sent ?? now
  }
}
