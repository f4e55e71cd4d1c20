import Foundation

/// A task that waits for a callback, which comes once.
///
/// The library alone keeps the object: where it lets go of it without a callback, the task ends with an error.
final class Waiting<Success: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var continuation: CheckedContinuation<Success, any Error>?
  let progress: (@MainActor (UInt64, UInt64) -> Void)?

  private init(
    _ continuation: CheckedContinuation<Success, any Error>, _ progress: (@MainActor (UInt64, UInt64) -> Void)?
  ) {
    self.continuation = continuation
    self.progress = progress
  }

  /// Makes the call, and waits for its callback.
  /// - Parameter onCancel: ends the call; nil: the task waits no longer, and the call goes on by itself.
  @MainActor
  static func result(
    progress: (@MainActor (UInt64, UInt64) -> Void)? = nil, _ call: (Waiting) throws -> Void,
    onCancel: (@Sendable () -> Void)? = nil
  ) async throws -> Success {
    let cancellation = Cancellation<Success>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let waiting = Waiting(continuation, progress)
        guard cancellation.begin(waiting) else { return waiting.fail(CancellationError()) }
        do { try call(waiting) } catch { waiting.fail(error) }
      }
    } onCancel: {
      if let onCancel { onCancel() } else { cancellation.cancel() }
    }
  }

  /// The result, or the error that came in its place.
  func end(_ error: OpaquePointer?, _ result: () -> Success) {
    if let error { return fail(SegueError.of(error)) }
    // Made in any case: what it owns is let go where nobody waits any more.
    let result = result()
    take()?.resume(returning: result)
  }

  func fail(_ error: any Error) { take()?.resume(throwing: error) }

  private func take() -> CheckedContinuation<Success, any Error>? {
    lock.withLock {
      defer { continuation = nil }
      return continuation
    }
  }

  // The library let it go without a callback.
  deinit { fail(SegueError(.closed, "The application was closed.")) }
}

/// Whether the task was cancelled, before its call or while it waits.
private final class Cancellation<Success: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private weak var waiting: Waiting<Success>?
  private var isCancelled = false

  /// False where it was cancelled already.
  func begin(_ waiting: Waiting<Success>) -> Bool {
    lock.withLock {
      self.waiting = waiting
      return !isCancelled
    }
  }

  func cancel() {
    let waiting = lock.withLock {
      isCancelled = true
      return self.waiting
    }
    waiting?.fail(CancellationError())
  }
}
