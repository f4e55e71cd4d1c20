import Foundation
import Glibc
import Testing

@testable import Segue

/// Applications without a bus: everything but other devices works.
@MainActor
func newApplication(_ id: String = "org.segue.test.Swift") throws -> Application {
  try Application(id: id, busAddress: "unix:path=/nonexistent")
}

let type = "org.segue.test.swift"

/// Dispatches the application, which no main loop does here, until `body` has ended.
@MainActor
func dispatching<Answer: Sendable>(
  _ application: Application, _ body: @MainActor () async throws -> Answer
) async throws -> Answer {
  let loop = Task {
    while !Task.isCancelled {
      try application.dispatch()
      await Task.yield()
    }
  }
  defer { loop.cancel() }
  return try await body()
}

/// The kinds of descriptors that the library hands out.
enum StreamKind: CaseIterable { case pipes, sockets }

/// Both sides of a pair of streams.
func streamPair(_ kind: StreamKind) throws -> (ContinuationStreams, ContinuationStreams) {
  var (one, other): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
  switch kind {
  case .pipes:
    #expect(pipe(&one) == 0 && pipe(&other) == 0)
    return (ContinuationStreams(input: one[0], output: other[1]), ContinuationStreams(input: other[0], output: one[1]))
  case .sockets:
    let stream = Int32(SOCK_STREAM.rawValue)
    #expect(socketpair(AF_UNIX, stream, 0, &one) == 0 && socketpair(AF_UNIX, stream, 0, &other) == 0)
    return (ContinuationStreams(input: one[0], output: other[0]), ContinuationStreams(input: other[1], output: one[1]))
  }
}
