import SegueBus
import SegueCore
import SegueEngine

/// Tells user interfaces what has changed: after everything that somebody waits for, and of a continuation nothing that
/// nobody could see.
final class SignalService {
  private let loop: EventLoop
  /// Gets what is to be told now, in its order.
  var emit: ([Effect.Signal]) -> Void = { _ in }
  private var due: [Effect.Signal] = []
  /// States that most continuations have for less than a millisecond each. They are told once they last.
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
    passing.removeAll { $0.continuation == id }
    switch state {
    case .launching, .begun:
      passing.append((id, state))
      if timer == nil { timer = loop.timer(after: Limits.passingStateTime) { [self] in tellPassing() } }
    case .waiting, .notResponding, .continued, .failed:
      due.append(signal)
      if passing.isEmpty { stop() }
    }
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
