import CSegueLibrary
import Foundation
import Testing

@testable import Segue

/// Tasks that wait for a callback of the library.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct WaitingTests {
  @Test func aCancelledTaskWaitsNoLonger() async throws {
    var library: Waiting<ContinuationStreams>?
    let task = Task { try await Waiting<ContinuationStreams>.result { library = $0 } }
    while library == nil { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // Streams that come too late are closed: the other side reads the end.
    let other = try late { one in library?.end(nil) { one } }
    #expect(try await other.readMessage() == nil)
  }

  private func late(_ body: (ContinuationStreams) -> Void) throws -> ContinuationStreams {
    let (one, other) = try streamPair(.sockets)
    body(one)
    return other
  }

  @Test func aTaskThatIsCancelledAlreadyCallsNothing() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await Waiting<Void>.result { _ in Issue.record("The call was made.") }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func aCallThatFailsIsItsError() async throws {
    let error = await #expect(throws: SegueError.self) {
      try await Waiting<Void>.result { _ in throw SegueError(.notFound, "There is none.") }
    }
    #expect(error?.code == .notFound)
  }

  @Test func aCallbackThatNeverComesIsAnError() async throws {
    // The library lets go of it.
    let error = await #expect(throws: SegueError.self) { try await Waiting<Void>.result { _ in } }
    #expect(error?.code == .closed)
  }
}
