import SegueCore

/// What user interfaces are told of changes: however many there are, so many signals. What has changed is asked for
/// anyway.
struct Signals {
  private var announcers: [Effect.Signal: Announcer] = [:]

  /// Something changed, or the time for a signal that waits has come. Gives back whether it was sent.
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
