import SegueBus
import SegueCore

// Where the time of a continuation goes, for who wonders why it took so long (semantics X4).

/// The continuation that ended last.
struct LastContinuation {
  let dictionary: BusDictionary

  init(_ continuation: RunningContinuation, device: String, error: SegueError?) {
    var dictionary: BusDictionary = [
      "continuation": .string(continuation.id.hex), "activity": .string(continuation.offer.id.hex),
      "type": .string(continuation.offer.type.string), "app-name": .string(continuation.application.name),
      "device-name": .string(device), "total": .uint64(continuation.times.total),
      "phases": .array(
        elementSignature: "a{sv}",
        continuation.times.all.map { span in
          .dictionary([
            "phase": .string(span.phase.rawValue), "start": .uint64(span.start), "duration": .uint64(span.duration),
          ])
        }),
    ]
    if let size = continuation.size { dictionary["size"] = .uint64(UInt64(size)) }
    if let error { dictionary["error"] = .string(error.message) }
    self.dictionary = dictionary
  }
}

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
