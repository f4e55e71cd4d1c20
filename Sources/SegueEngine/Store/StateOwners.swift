import SegueCore

/// Which process stored an application's state, and in which order states were stored, since the daemon's start (semantics
/// B1). The copies themselves say neither: their times are whole seconds.
struct StateOwners {
  private struct Mark {
    let session: SessionID
    let number: UInt64
  }

  private var marks: [Identifier: Mark] = [:]
  private var count: UInt64 = 0
  /// How many requests for states each session waits for.
  private var asked: [SessionID: Int] = [:]

  mutating func stored(_ activity: Identifier, by session: SessionID) {
    count += 1
    marks[activity] = Mark(session: session, number: count)
  }

  mutating func forget(_ activity: Identifier) { marks[activity] = nil }

  /// The session that stored the activity's state; nil: that was before the daemon's start.
  func session(of activity: Identifier) -> SessionID? { marks[activity]?.session }

  /// A higher number for a state that was stored later; 0: that was before the daemon's start.
  func number(of activity: Identifier) -> UInt64 { marks[activity]?.number ?? 0 }

  // MARK: Requests

  /// Notes a request. Throws `limitExceeded`.
  mutating func asks(_ session: SessionID) throws(SegueError) {
    guard asked[session, default: 0] < Limits.stateReads else {
      throw SegueError(
        .limitExceeded, "\(Limits.stateReads) requests for this application's states are under way.",
        advice: "Wait for their answers.")
    }
    asked[session, default: 0] += 1
  }

  mutating func answered(_ session: SessionID) {
    asked[session] = asked[session].flatMap { $0 > 1 ? $0 - 1 : nil }
  }
}
