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
    /// `patience`: what TCP's user time-out is to be, which notices for this side that nobody acknowledges the heartbeat;
    /// nil where this side looks itself.
    case heartbeat(patience: UInt64?)
    case ping
    case lost
  }

  /// Lateness of the timer beyond which this process is thought to have slept: the peer's bytes may then still wait in
  /// the socket, and are read before the peer is given up.
  static let slack: UInt64 = 250

  private let settings: LinkSettings
  private let isFirst: Bool
  /// How long TCP waits for an acknowledgement before it sends again.
  private var timeout: UInt64
  /// When the last sign of life came.
  private var life: UInt64
  /// Whether this side received last, and sends the next heartbeat.
  private var isNext = true
  /// When this side first sent since then.
  private var sent: UInt64?
  /// Whether only a heartbeat was sent since then, and TCP's user time-out is set for it.
  private var isWatched = false
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
    timeout = settings.silenceTime
    life = now
  }

  /// Notes bytes of the peer, which came at a moment. Any byte shows that it lives: an answer may be stuck behind data
  /// for a while.
  mutating func heard(_ moment: UInt64) {
    life = max(life, moment)
    // They came before what this side has sent since, and answer nothing of it.
    if let sent, sent > moment { return }
    isNext = true
    isWatched = false
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

  /// TCP's user time-out is no longer set, since something else is sent too.
  mutating func unwatched() { isWatched = false }

  /// The moment before which no step has anything to do.
  var earliest: UInt64 { deadline ?? min(pingDue ?? .max, due) }

  /// Asks for a ping now, unless one is under way.
  mutating func probe(_ now: UInt64) {
    if deadline == nil { pingDue = now }
  }

  /// Called after a step when another link of this device sends its heartbeat. This one joins if its own heartbeat is due
  /// soon: then one wake serves both, from now on, since the peer's turn follows from this one. `gathers`: it joins out
  /// of turn as well, unless the peer has just spoken. Returns whether it joins.
  mutating func join(_ now: UInt64, gathers: Bool) -> Bool {
    guard deadline == nil, sent == nil else { return false }
    let isSoon = isNext && now + settings.heartbeatTime / 2 >= due
    isJoining = isSoon || gathers && pingDue == nil && now >= life + Self.slack
    return isJoining
  }

  /// The step to take now. After `heartbeat` and `ping` the caller asks again at once.
  mutating func step(_ now: UInt64, _ acknowledgement: Acknowledgement) -> Step {
    timeout = acknowledgement.timeout
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
      let end = max(life + settings.silenceTime, sent + answerTime)
      if now >= end { return .lost }
      // TCP notices the loss before that; else the peer's own heartbeat is looked for as if this one had arrived.
      let look = isWatched ? max(end, sent + settings.silenceTime - answerTime) : end
      return .wait(until: min(look, asked))
    }
    // Neither side sends a heartbeat while a ping is under way.
    if deadline != nil || now < due && !isJoining { return .wait(until: deadline ?? min(due, asked)) }
    guard isNext || isJoining else { return ask(now) }
    let patience = patience(now, acknowledgement)
    speak(now)
    isWatched = patience != nil
    return .heartbeat(patience: patience)
  }

  /// How long before the end of the silence a heartbeat leaves: TCP sends it twice more in that time, where that is soon.
  private var reserve: UInt64 { min(settings.silenceTime - settings.heartbeatTime, 3 * timeout) }

  /// How long before the end of the silence the other side's heartbeat counts as missed, and a ping leaves.
  private var answerTime: UInt64 { min((settings.silenceTime - settings.heartbeatTime) / 2, timeout) }

  /// When this side sends a heartbeat, or counts the other's heartbeat as missed.
  private var due: UInt64 {
    life + settings.silenceTime - (isNext ? reserve + (isFirst ? reserve / 4 : 0) : answerTime)
  }

  /// TCP's user time-out counts from the first time at which its timer has it send again, which is up to two of its
  /// time-outs after the heartbeat, since a probe for the lost tail may come before. The kernel's timers are late by up
  /// to a sixteenth of the time. Nil where that does not leave room for an answer.
  private func patience(_ now: UInt64, _ acknowledgement: Acknowledgement) -> UInt64? {
    let end = life + settings.silenceTime
    let left = end - min(end, now)
    guard acknowledgement.isEmpty, left - left / 16 >= 2 * timeout + timeout / 2 else { return nil }
    return left - left / 16 - 2 * timeout
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
    isWatched = false
    sent = sent ?? now
  }
}
