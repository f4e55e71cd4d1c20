import SegueBus
import SegueCore
import SegueEngine

/// Tells user interfaces what has changed: after everything that somebody waits for. They are told the end alone of a
/// continuation that has ended within a moment.
final class SignalService {
  private let loop: EventLoop
  /// Gets what is to be told now, in its order.
  var emit: ([Effect.Signal]) -> Void = { _ in }
  private var due: [Effect.Signal] = []
  /// States that most continuations have for less than a millisecond each, in their order: they are held for a moment.
  private var passing: [(continuation: Identifier, state: ContinuationState)] = []
  private var timer: LoopTimer?

  init(_ loop: EventLoop) {
    self.loop = loop
  }

  func add(_ signal: Effect.Signal) {
    guard case .continuationChanged(let id, let state) = signal else {
      if !due.contains(signal) { due.append(signal) }
      return
    }
    switch state {
    case .launching, .begun:
      passing.append((id, state))
      if timer == nil { timer = loop.timer(after: Limits.passingStateTime) { [self] in tellPassing() } }
      return
    case .waiting, .notResponding:
      // Whoever is told of it knows the continuation by the states before.
      due += passing.filter { $0.continuation == id }.map { .continuationChanged(id, $0.state) }
    case .continued, .failed: break
    }
    due.append(signal)
    passing.removeAll { $0.continuation == id }
    if passing.isEmpty { stop() }
  }

  /// What was added is told now, but for passing states.
  func tell() {
    guard !due.isEmpty else { return }
    let signals = due
    due = []
    emit(signals)
  }

  private func tellPassing() {
    timer = nil
    due += passing.map { .continuationChanged($0.continuation, $0.state) }
    passing = []
    tell()
  }

  private func stop() {
    timer?.cancel()
    timer = nil
  }
}
