import Glibc

extension WorkQueue {
  /// Turns pieces into results on several threads at a time, the caller's among them, and hands these over there, in the
  /// order of the pieces. Returns when all are handed over.
  ///
  /// `threads` are no more than there are processors. `prepare` runs first on each that is not the caller's, `turn` on
  /// any, `take` on the caller's alone.
  public static func inOrder<Piece: Sendable, Outcome: Sendable>(
    _ pieces: [Piece], _ name: String, threads: Int, prepare: @escaping @Sendable () -> Void = {},
    _ turn: @escaping @Sendable (Piece) -> Outcome, _ take: (Outcome) -> Void
  ) {
    let threads = min(threads, pieces.count, max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1))
    guard threads > 1 else { return pieces.forEach { take(turn($0)) } }
    let table = PieceTable(pieces, turn)
    let queue = WorkQueue(name, threads: threads - 1, linger: 0, prepare: prepare)
    for _ in 1..<threads { queue.add { while table.turnNext() {} } }
    for place in pieces.indices {
      while !table.isTurned(place), table.turnNext() {}
      take(table.outcome(place))
    }
  }
}

/// Pieces of which each is turned by the thread that comes to it.
private final class PieceTable<Piece: Sendable, Outcome: Sendable>: @unchecked Sendable {
  private let pieces: [Piece]
  private let turn: @Sendable (Piece) -> Outcome
  private let condition = Condition()
  // Under the lock of the condition.
  private var next = 0
  private var outcomes: [Outcome?]

  init(_ pieces: [Piece], _ turn: @escaping @Sendable (Piece) -> Outcome) {
    self.pieces = pieces
    self.turn = turn
    outcomes = Array(repeating: nil, count: pieces.count)
  }

  /// Turns the first piece that nobody has begun; false if there is none.
  func turnNext() -> Bool {
    let place = condition.withLock {
      defer { next += 1 }
      return next
    }
    guard place < pieces.count else { return false }
    let outcome = turn(pieces[place])
    condition.withLock {
      outcomes[place] = outcome
      condition.signal()
    }
    return true
  }

  func isTurned(_ place: Int) -> Bool { condition.withLock { outcomes[place] != nil } }

  /// Waits for a piece that somebody has begun, and hands its outcome over.
  func outcome(_ place: Int) -> Outcome {
    condition.withLock {
      while true {
        _ = condition.wait(milliseconds: .max) { outcomes[place] != nil }
        if let outcome = outcomes[place] {
          outcomes[place] = nil
          return outcome
        }
      }
    }
  }
}
