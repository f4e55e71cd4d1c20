import SegueCore

/// The continuations that run on this device, and the last failures and the last outcome of those that have ended.
struct Continuations {
  private var running: [Identifier: RunningContinuation] = [:]
  private var failures: [(ticket: Identifier, session: SessionID, error: SegueError)] = []
  private var count = 0
  /// The continuation that ended last.
  private(set) var last: EndedContinuation?

  // MARK: Finding one

  subscript(id: Identifier) -> RunningContinuation? { running[id] }

  /// The continuations in the order in which they were chosen.
  var inOrder: [RunningContinuation] { running.values.sorted { $0.number < $1.number } }

  func of(ticket: Identifier) -> RunningContinuation? { running.values.first { $0.ticket == ticket } }

  /// The continuation of an offer: the one for the chosen application if there is one, otherwise the latest.
  func of(_ choice: Choice, own: DeviceID) -> RunningContinuation? {
    let all = inOrder.filter {
      $0.offer.id == choice.activity && choice.mayMean($0.source.device ?? own)
    }
    return all.first { $0.application?.appID == choice.application } ?? all.last
  }

  /// The failure of an ended continuation with this ticket, for the application that had begun the continuation.
  func failure(_ ticket: Identifier, _ session: SessionID) -> SegueError? {
    failures.first { $0.ticket == ticket && $0.session == session }?.error
  }

  // MARK: Changes

  mutating func add(_ continuation: RunningContinuation) {
    count += 1
    var continuation = continuation
    continuation.number = count
    running[continuation.id] = continuation
  }

  mutating func change(_ id: Identifier, _ body: (inout RunningContinuation) -> Void) {
    guard var continuation = running[id] else { return }
    body(&continuation)
    running[id] = continuation
  }

  /// Hands an event to the continuation's machine. A continuation that has ended has no effects.
  mutating func handle(_ event: ContinuationMachine.Event, _ id: Identifier) -> [ContinuationMachine.Effect] {
    running[id]?.machine.handle(event) ?? []
  }

  /// The continuation has its outcome. A failure is kept for a claim that may be on its way (semantics V1, V3).
  mutating func end(_ id: Identifier, _ error: SegueError?, deviceName: String) {
    guard let ended = running.removeValue(forKey: id) else { return }
    last = EndedContinuation(
      id: id, offer: ended.offer, takerName: ended.takerName, deviceName: deviceName, times: ended.times,
      size: ended.size, error: error)
    // A process at the door may have called will_continue already, though its Begin has not come.
    guard let error, let session = ended.session ?? ended.taker else { return }
    failures.append((ended.ticket, session, error))
    if failures.count > Limits.failuresRemembered { failures.removeFirst() }
  }
}
