import Foundation
import Testing

@testable import Segue

/// Calls on streams that wait, and what ends them.
@Suite(.timeLimit(.minutes(1)))
struct StreamEndTests {
  /// More than a pipe and a socket hold.
  private static let large = 1 << 20

  @Test(arguments: StreamKind.allCases)
  func aCancelledTaskReadsNoMore(_ kind: StreamKind) async throws {
    let (one, other) = try streamPair(kind)
    for read in [{ _ = try await one.readMessage() }, { for try await _ in one {} }]
      as [@Sendable () async throws -> Void]
    {
      let task = Task { try await read() }
      await waits(one.reader)
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(!one.reader.isWaiting)
    }
    // The streams go on.
    try await other.writeMessage(Data("later".utf8))
    #expect(try await one.readMessage() == Data("later".utf8))
  }

  @Test func aTaskThatIsCancelledAlreadyReadsNothing() async throws {
    let (one, other) = try streamPair(.pipes)
    try await other.writeMessage(Data("kept".utf8))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await one.readMessage()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await one.readMessage() == Data("kept".utf8))
  }

  @Test(arguments: StreamKind.allCases)
  func aMessageThatIsCancelledInTheMiddleIsReadByTheNext(_ kind: StreamKind) async throws {
    let (one, other) = try streamPair(kind)
    for part in [Data([0, 0]), Data([0, 3, 1, 2])] {
      try await other.write(part)
      let task = Task { try await one.readMessage() }
      await waits(one.reader)
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    try await other.write(Data([3, 9]))
    #expect(try await one.readMessage() == Data([1, 2, 3]))
    var parts = one.makeAsyncIterator()
    #expect(try await parts.next() == Data([9]))
  }

  @Test(arguments: StreamKind.allCases)
  func afterAWriteThatWasCancelledInTheMiddleNothingIsWritten(_ kind: StreamKind) async throws {
    let (one, other) = try streamPair(kind)
    let task = Task { try await one.write(Data(count: Self.large)) }
    await waits(one.writer)
    let second = Task { try await one.write(Data(count: 1)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await closed { try await second.value }
    await closed { try await one.writeMessage(Data()) }
    withExtendedLifetime(other) {}
  }

  @Test(arguments: StreamKind.allCases)
  func closingEndsWhatWaits(_ kind: StreamKind) async throws {
    let (one, other) = try streamPair(kind)
    let calls = [
      Task { _ = try await one.readMessage() }, Task { for try await _ in one {} },
      Task { try await one.write(Data(count: Self.large)) },
      Task { try await one.writeMessage(Data(count: Self.large)) },
    ]
    await waits(one.reader)
    await waits(one.writer)
    one.close()
    one.close()
    for call in calls { await closed { try await call.value } }
    await closed { _ = try await one.readMessage() }
    await closed { try await one.write(Data()) }
    #expect(one.lossReason == nil)
    one.finish()
    // The other side reads what has come, and the end, and cannot write.
    for try await part in other { #expect(!part.isEmpty) }
    await #expect(throws: SegueError.self) { try await other.write(Data(count: 1)) }
  }

  @Test(arguments: StreamKind.allCases)
  func finishingEndsWhatIsWritten(_ kind: StreamKind) async throws {
    let (one, other) = try streamPair(kind)
    let writing = Task { try await one.write(Data(count: Self.large)) }
    await waits(one.writer)
    one.finish()
    await closed { try await writing.value }
    // A pipe's number is that of nothing now, which would take it.
    await closed { try await one.write(Data(count: 1)) }
    for try await part in other { #expect(!part.isEmpty) }
    try await other.writeMessage(Data("still".utf8))
    #expect(try await one.readMessage() == Data("still".utf8))
  }

  @Test(arguments: StreamKind.allCases)
  func aPeerThatGoesEndsAWriteThatWaits(_ kind: StreamKind) async throws {
    let (one, other) = try streamPair(kind)
    let writing = Task { try await one.write(Data(count: Self.large)) }
    await waits(one.writer)
    other.close()
    let error = await #expect(throws: SegueError.self) { try await writing.value }
    #expect(error?.code == .system)
  }

  @Test(arguments: StreamKind.allCases)
  func messagesThatAreWrittenAtOnceDoNotMix(_ kind: StreamKind) async throws {
    let (one, other) = try streamPair(kind)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for byte in 0..<4 {
        group.addTask { try await one.writeMessage(Data(repeating: UInt8(byte), count: Self.large)) }
      }
      var seen: Set<UInt8> = []
      for _ in 0..<4 {
        let message = try #require(try await other.readMessage())
        #expect(message.count == Self.large && Set(message).count == 1)
        seen.formUnion(message.prefix(1))
      }
      #expect(seen == [0, 1, 2, 3])
      try await group.waitForAll()
    }
  }

  /// More than Dispatch has threads.
  @Test func streamsThatWaitHoldNoThreads() async throws {
    let pairs = try (0..<100).map { _ in try streamPair(.pipes) }
    let reading = pairs.map { one, _ in Task { try await one.readMessage() } }
    for (one, _) in pairs { await waits(one.reader) }
    for (_, other) in pairs.reversed() { try await other.writeMessage(Data([1])) }
    for task in reading { #expect(try await task.value == Data([1])) }
  }

  @Test func aMessageThatIsTooLongStaysTheNext() async throws {
    let (one, other) = try streamPair(.pipes)
    try await one.writeMessage(Data(count: 100))
    one.finish()
    let error = await #expect(throws: SegueError.self) { try await other.readMessage(maximum: 99) }
    #expect(error?.code == .limitExceeded)
    #expect(try await other.readMessage(maximum: 100) == Data(count: 100))
    #expect(try await other.readMessage() == nil)
  }

  @Test func anEndInTheMiddleOfAMessageIsAnError() async throws {
    for part in [Data([0]), Data([0, 0, 0, 2, 1])] {
      let (one, other) = try streamPair(.sockets)
      try await one.write(part)
      one.finish()
      let error = await #expect(throws: SegueError.self) { try await other.readMessage() }
      #expect(error?.code == .protocolViolation)
    }
  }

  @Test func descriptorsThatAreNoneAreAnError() async throws {
    let streams = ContinuationStreams(input: -1, output: -1)
    await #expect(throws: SegueError.self) { try await streams.write(Data(count: 1)) }
    await #expect(throws: SegueError.self) { try await streams.readMessage() }
  }

  /// Lets other tasks run until a call waits there.
  private func waits(_ end: StreamEnd) async { while !end.isWaiting { await Task.yield() } }

  private func closed(_ body: () async throws -> Void) async {
    let error = await #expect(throws: SegueError.self) { try await body() }
    #expect(error?.code == .closed)
  }
}
