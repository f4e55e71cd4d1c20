import SegueCore

/// The continuations that run on this device, and what is remembered of those that have ended.
struct Continuations {
  /// Failures that are remembered for a claim that was on its way.
  private static let failuresMaximum = 16

  private var running: [Identifier: RunningContinuation] = [:]
  private var failures: [(ticket: Identifier, session: SessionID, error: SegueError)] = []
  private var count = 0
  /// The one that ended last.
  private(set) var last: EndedContinuation?

  // MARK: Finding one

  subscript(id: Identifier) -> RunningContinuation? { running[id] }

  /// In the order in which they were chosen.
  var inOrder: [RunningContinuation] { running.values.sorted { $0.number < $1.number } }

  func of(ticket: Identifier) -> RunningContinuation? { running.values.first { $0.ticket == ticket } }

  /// The continuation of an offer: for that application if there is one, else the one that was chosen last.
  func of(_ choice: Choice, own: DeviceID) -> RunningContinuation? {
    let all = inOrder.filter {
      $0.offer.id == choice.activity && (choice.device == nil || ($0.source.device ?? own) == choice.device)
    }
    return all.first { $0.application.appID == choice.application } ?? all.last
  }

  /// Why a continuation with this ticket has failed, for the application that had begun it.
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

  /// What the machine decides; nothing of one that is not there any more.
  mutating func handle(_ event: ContinuationMachine.Event, _ id: Identifier) -> [ContinuationMachine.Effect] {
    running[id]?.machine.handle(event) ?? []
  }

  /// It has its outcome. A claim that is on its way gets a failure as well (semantics V1, V3).
  mutating func end(_ id: Identifier, _ error: SegueError?, deviceName: String) {
    guard let ended = running.removeValue(forKey: id) else { return }
    last = EndedContinuation(
      id: id, offer: ended.offer, application: ended.application, deviceName: deviceName, times: ended.times,
      size: ended.size, error: error)
    guard let error, let session = ended.session else { return }
    failures.append((ended.ticket, session, error))
    if failures.count > Self.failuresMaximum { failures.removeFirst() }
  }
}
