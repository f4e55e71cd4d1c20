import SegueCore

/// Tells user interfaces that something changed, at a bounded rate, however many changes there are. A signal does not
/// contain the change; the user interfaces read it.
struct Signals {
  private var announcers: [Effect.Signal: Announcer] = [:]

  /// Something changed, or the time for a waiting signal has come. Returns whether the signal was sent.
  @discardableResult
  mutating func handle(
    _ signal: Effect.Signal, _ event: Announcer.Event, _ deadlines: inout Deadlines, _ turn: inout Turn
  ) -> Bool {
    var isSent = false
    for effect in announcers[signal, default: Announcer()].handle(event, now: turn.now) {
      switch effect {
      case .announce:
        turn.emit(.signal(signal))
        isSent = true
      case .wake(let time): deadlines.set(.signal(signal), at: time)
      }
    }
    return isSent
  }
}
