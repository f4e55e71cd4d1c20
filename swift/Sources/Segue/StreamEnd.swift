import Foundation
import Glibc

/// One end of a stream, and the calls that wait there: each has its turn, is cancelled alone, and ends with the end.
///
/// Calls of one direction never mix their bytes. The descriptor is used under the lock and before `end` alone, so that it can
/// be closed after that.
package class StreamEnd: @unchecked Sendable {
  let descriptor: Int32
  /// The events that poll(2) waits for.
  let events: Int16
  private let lock = NSLock()
  private var calls: [StreamCall] = []
  private var failure: (any Error)?

  init(_ descriptor: Int32, events: Int32) {
    self.descriptor = descriptor
    self.events = Int16(truncatingIfNeeded: events)
  }

  package var isWaiting: Bool { lock.withLock { !calls.isEmpty } }

  /// Runs something that uses the descriptor, unless the end has ended.
  package func whileOpen<R>(_ body: () throws -> R) rethrows -> R? {
    try lock.withLock { failure == nil ? try body() : nil }
  }

  /// Ends the end, and all calls, those to come too; the first reason counts.
  func end(_ reason: any Error) {
    let ended = lock.withLock {
      if failure == nil { failure = reason }
      return take()
    }
    finish(ended.map { call in { call.fail(reason) } })
    if !ended.isEmpty { StreamPoller.shared.ring() }
  }

  /// Goes on with what waits, as far as that goes without waiting.
  func advance() { finish(lock.withLock { run() }) }

  // MARK: Calls

  /// Makes the call, and waits for it; a cancelled task ends it with `CancellationError`.
  package func perform<R: Sendable>(_ attempt: @escaping (StreamCall) throws -> StreamStep<R>) async throws -> R {
    let call = StreamCall()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        submit(call, attempt) { continuation.resume(with: $0) }
      }
    } onCancel: {
      cancel(call)
    }
  }

  /// The same on the caller's thread, which waits.
  package func wait<R: Sendable>(_ attempt: @escaping (StreamCall) throws -> StreamStep<R>) throws -> R {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var result: Result<R, any Error>?
    submit(StreamCall(), attempt) {
      result = $0
      done.signal()
    }
    done.wait()
    guard let result else { throw SegueError(.system, "The call gave no result.") }
    return try result.get()
  }

  /// Makes the call; its result comes on any thread, inside this function too.
  package func submit<R>(
    _ call: StreamCall, _ attempt: @escaping (StreamCall) throws -> StreamStep<R>,
    _ completion: @escaping (Result<R, any Error>) -> Void
  ) {
    call.fail = { completion(.failure($0)) }
    call.attempt = { [unowned call] in
      switch try attempt(call) {
      case .waits: nil
      case .done(let result): { completion(.success(result)) }
      }
    }
    let (finished, waits): ([() -> Void], Bool) = lock.withLock {
      if let reason = call.isCancelled ? CancellationError() : failure { return ([{ call.fail(reason) }], false) }
      calls.append(call)
      // A call has its turn when it is the first.
      return (calls.count == 1 ? run() : [], !calls.isEmpty)
    }
    finish(finished)
    guard waits else { return }
    do { try StreamPoller.shared.add(self) } catch { end(error) }
  }

  /// Ends a call, whether or not it was made yet.
  package func cancel(_ call: StreamCall) {
    let cancelled: [(StreamCall, any Error)] = lock.withLock {
      call.isCancelled = true
      guard let index = calls.firstIndex(where: { $0 === call }) else { return [] }
      calls.remove(at: index)
      guard call.hasWritten else { return [(call, CancellationError())] }
      let reason = SegueError(.closed, "A write was cancelled in the middle, and nothing can be written after that.")
      failure = reason
      return [(call, CancellationError())] + take().map { ($0, reason) }
    }
    finish(cancelled.map { call, reason in { call.fail(reason) } })
    if !cancelled.isEmpty { StreamPoller.shared.ring() }
  }

  private func take() -> [StreamCall] {
    defer { calls = [] }
    return calls
  }

  /// Under the lock; what it returns is called without.
  private func run() -> [() -> Void] {
    var finished: [() -> Void] = []
    while let call = calls.first {
      do {
        guard let deliver = try call.attempt() else { break }
        finished.append(deliver)
      } catch {
        finished.append { call.fail(error) }
      }
      calls.removeFirst()
    }
    return finished
  }

  private func finish(_ calls: [() -> Void]) { for call in calls { call() } }
}

/// How far a call has come.
package enum StreamStep<Result> {
  /// It goes on when the descriptor is ready.
  case waits
  case done(Result)
}

/// A call that waits at an end, under whose lock it is used.
package final class StreamCall: @unchecked Sendable {
  fileprivate(set) var attempt: () throws -> (() -> Void)? = { nil }
  fileprivate(set) var fail: (any Error) -> Void = { _ in }
  fileprivate(set) var isCancelled = false
  /// Whether the other side has a part of what it writes.
  var hasWritten = false

  package init() {}
}
