import Foundation
import Glibc
import Segue
import Testing

@testable import SegueCompatibility

/// Foundation's streams over a pair, as its documentation has them.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct RunLoopTests {
  private let input: StreamInput
  private let output: StreamOutput
  private let other: ContinuationStreams

  init() throws {
    var (one, two): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    #expect(pipe(&one) == 0 && pipe(&two) == 0)
    let streams = ContinuationStreams(input: one[0], output: two[1])
    (input, output) = (StreamInput(streams), StreamOutput(streams))
    other = ContinuationStreams(input: two[0], output: one[1])
  }

  @Test func theDelegateIsToldOfWhatComesAndOfTheEnd() async throws {
    let other = other
    let (input, seen) = (Boxed(input), Seen())
    let events = await onThread { loop in
      let delegate = Teller { stream, event in
        seen.append(event)
        if event == .openCompleted { perform { try await other.write(Data([1, 2])) } }
        guard event == .hasBytesAvailable, let input = stream as? InputStream else { return }
        var buffer = [UInt8](repeating: 0, count: 1)
        #expect(input.hasBytesAvailable && input.read(&buffer, maxLength: 1) == 1)
        if buffer == [2] { other.finish() }
      }
      input.value.delegate = delegate
      input.value.schedule(in: loop, forMode: .default)
      input.value.open()
      run(loop) { seen.last == .endEncountered }
      withExtendedLifetime(delegate) {}
      return seen.events
    }
    #expect(events == [.openCompleted, .hasBytesAvailable, .hasBytesAvailable, .endEncountered])
    #expect(input.value.streamStatus == .atEnd)
    var buffer: [UInt8] = [0]
    #expect(input.value.read(&buffer, maxLength: 1) == 0)
  }

  @Test func aDelegateThatDoesNotReadIsToldOnce() async throws {
    try await other.write(Data([1, 2]))
    let (input, seen) = (Boxed(input), Seen())
    let events = await onThread { loop in
      let delegate = Teller { _, event in seen.append(event) }
      input.value.delegate = delegate
      input.value.schedule(in: loop, forMode: .default)
      input.value.open()
      run(loop) { seen.last == .hasBytesAvailable }
      // Something else of the loop's happens, and the stream is silent until it is read.
      turn(loop)
      seen.append([])
      var buffer: [UInt8] = [0]
      #expect(input.value.read(&buffer, maxLength: 1) == 1)
      run(loop) { seen.last == .hasBytesAvailable }
      withExtendedLifetime(delegate) {}
      return seen.events
    }
    #expect(events == [.openCompleted, .hasBytesAvailable, [], .hasBytesAvailable])
  }

  @Test func theDelegateIsToldOfRoomAndOfALoss() async throws {
    let other = other
    let (output, seen) = (Boxed(output), Seen())
    let events = await onThread { loop in
      let delegate = Teller { stream, event in
        seen.append(event)
        guard event == .hasSpaceAvailable, let output = stream as? OutputStream else { return }
        // Full in the end: the other side is gone then.
        let data = [UInt8](repeating: 7, count: 1 << 20)
        #expect(output.write(data, maxLength: data.count) > 0)
        if !output.hasSpaceAvailable { other.close() }
      }
      output.value.delegate = delegate
      output.value.schedule(in: loop, forMode: .default)
      output.value.open()
      run(loop) { seen.last == .errorOccurred }
      withExtendedLifetime(delegate) {}
      return seen.events
    }
    #expect(events.first == .openCompleted && events.dropFirst().first == .hasSpaceAvailable)
    #expect(events.last == .errorOccurred && events.filter { $0 == .errorOccurred }.count == 1)
    #expect(output.value.streamStatus == .error && output.value.streamError != nil)
    #expect(output.value.write([1], maxLength: 1) == -1)
  }

  @Test func aStreamThatIsRemovedOrClosedIsSilent() async throws {
    try await other.write(Data([1]))
    let (input, output, seen) = (Boxed(input), Boxed(output), Seen())
    await onThread { loop in
      let delegate = Teller { _, event in seen.append(event) }
      for stream in [input.value, output.value] as [Stream] {
        stream.delegate = delegate
        stream.schedule(in: loop, forMode: .default)
        stream.open()
      }
      input.value.remove(from: loop, forMode: .default)
      output.value.close()
      turn(loop)
      withExtendedLifetime(delegate) {}
    }
    #expect(seen.events.isEmpty)
    // It was only removed, and can be read.
    var buffer: [UInt8] = [0]
    #expect(input.value.read(&buffer, maxLength: 1) == 1 && buffer == [1])
    #expect(try await other.readMessage() == nil)
  }

  @Test func lengthsAreTakenAsTheyAre() async throws {
    var buffer = [UInt8](repeating: 0, count: 4)
    #expect(input.read(&buffer, maxLength: 1) == -1 && output.write(buffer, maxLength: 1) == -1)
    #expect(!input.hasBytesAvailable && !output.hasSpaceAvailable)
    input.open()
    output.open()
    #expect(input.read(&buffer, maxLength: 0) == 0 && output.write(buffer, maxLength: 0) == 0)
    #expect(input.read(&buffer, maxLength: -1) == -1 && output.write(buffer, maxLength: -1) == -1)
    #expect(input.streamStatus == .open && output.streamStatus == .open)
    #expect(!input.hasBytesAvailable && output.hasSpaceAvailable)
    // As much as there is room for, and no more.
    let large = [UInt8](repeating: 7, count: 1 << 20)
    let written = output.write(large, maxLength: large.count)
    #expect(written > 0 && written < large.count && !output.hasSpaceAvailable)
    try await other.write(Data([1, 2, 3]))
    #expect(input.hasBytesAvailable && input.read(&buffer, maxLength: 2) == 2 && buffer[..<2] == [1, 2])
    other.finish()
    #expect(input.read(&buffer, maxLength: 4) == 1 && input.hasBytesAvailable)
    #expect(input.read(&buffer, maxLength: 4) == 0 && input.streamStatus == .atEnd)
    #expect(input.read(&buffer, maxLength: 4) == 0 && input.read(&buffer, maxLength: 0) == 0)
    #expect(input.property(forKey: .fileCurrentOffsetKey) == nil && input.streamError == nil)
    #expect(!input.setProperty(nil, forKey: .fileCurrentOffsetKey))
    input.close()
    #expect(input.streamStatus == .closed && input.read(&buffer, maxLength: 1) == -1)
    let nowhere = StreamOutput(toMemory: ())
    nowhere.open()
    #expect(nowhere.write(large, maxLength: 1) == -1 && nowhere.streamError != nil)
  }

  /// A read that waits on another thread returns.
  @Test func closingEndsAReadThatWaits() async throws {
    input.open()
    let input = Boxed(input)
    let reader = input.value.streams.reader
    async let read = onThread { _ in
      var buffer: [UInt8] = [0]
      return input.value.read(&buffer, maxLength: 1)
    }
    while !reader.isWaiting { await Task.yield() }
    input.value.close()
    #expect(await read == -1)
  }
}

/// Tells a closure of a stream's events.
private final class Teller: NSObject, StreamDelegate {
  private let told: (Stream, Stream.Event) -> Void
  init(_ told: @escaping (Stream, Stream.Event) -> Void) { self.told = told }
  func stream(_ aStream: Stream, handle eventCode: Stream.Event) { told(aStream, eventCode) }
}

/// Used by one thread at a time.
private final class Boxed<T>: @unchecked Sendable {
  let value: T
  init(_ value: T) { self.value = value }
}

/// The events that one thread's delegate was told.
private final class Seen: @unchecked Sendable {
  private(set) var events: [Stream.Event] = []
  var last: Stream.Event? { events.last }
  func append(_ event: Stream.Event) { events.append(event) }
}

/// Runs something on a thread with a run loop of its own.
private nonisolated func onThread<R: Sendable>(_ body: @escaping @Sendable (RunLoop) -> R) async -> R {
  await withCheckedContinuation { continuation in
    Thread { continuation.resume(returning: body(.current)) }.start()
  }
}

/// Runs the loop until something has happened there.
private nonisolated func run(_ loop: RunLoop, until happened: () -> Bool) {
  while !happened() { _ = loop.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1)) }
}

/// Lets the loop do what is due. A timer of another one keeps it from returning at once.
private nonisolated func turn(_ loop: RunLoop) {
  let done = Seen()
  loop.add(Timer(fire: Date(), interval: 0, repeats: false) { _ in done.append([]) }, forMode: .default)
  run(loop) { done.last != nil }
}

private func perform(_ body: @escaping @Sendable () async throws -> Void) { Task { try await body() } }
