import SegueBus
import SegueCore

// Where the time of a continuation goes, for who wonders why it took so long (semantics X4).

extension RunningContinuation {
  /// The whole answer is here.
  func fetched(_ snapshot: Snapshot) {
    size = snapshot.userInfo.count
    revision = snapshot.revision
    times.end(.fetch, at: monotonicMicroseconds())
    if let time = snapshot.saveTime { times.saved(in: time) }
  }
}

extension Daemon {
  /// What an effect says of the phases.
  func note(_ effect: ContinuationMachine.Effect, of continuation: RunningContinuation) {
    let now = monotonicMicroseconds()
    switch effect {
    case .fetch: continuation.times.begin(.fetch, at: now)
    case .launch:
      continuation.times.end(.choose, at: now)
      continuation.times.begin(.launch, at: now)
    case .acceptBegin:
      continuation.times.end(.launch, at: now)
      continuation.times.begin(.claim, at: now)
    case .localize: continuation.times.begin(.files, at: now)
    case .answerClaim:
      continuation.times.end(.files, at: now)
      continuation.times.end(.claim, at: now)
      continuation.times.begin(.restore, at: now)
    case .failClaim: continuation.times.end(.claim, at: now)
    default: break
    }
  }
}
