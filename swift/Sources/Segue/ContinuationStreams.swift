import CSegueLibrary
import Foundation
import Glibc

/// A pair of streams between the device that continues an activity and its origin.
///
///     let streams = try await activity.continuationStreams()
///     try await streams.write(Data("draft\n".utf8))
///     for try await part in streams { … }
///
/// The descriptors are closed by `close`, or with the object. A lost device is an error, never the end of the stream.
///
/// Calls of one direction come one after the other, and hold no thread while they wait. A task that is cancelled ends its
/// call with `CancellationError`: what it has read of a message is kept for the next call, but after a write that was
/// cancelled in the middle nothing more can be written. Closing from elsewhere ends all calls with `SegueError.Code.closed`.
public final class ContinuationStreams: Sendable, AsyncSequence {
  public typealias Element = Data

  /// To be read, for a loop of your own; closed with this object.
  public let input: Int32
  /// To be written, likewise.
  public let output: Int32
  package let reader: StreamReader
  package let writer: StreamWriter
  /// Which descriptors are open, changed under its lock.
  private let open: OpenDescriptors

  /// The descriptors are this object's from now on.
  package init(input: Int32, output: Int32) {
    self.input = input
    self.output = output
    reader = StreamReader(input)
    writer = StreamWriter(output)
    open = OpenDescriptors(input: input, output: output)
  }

  deinit { close() }

  /// Closes both directions: the other side reads the end, and cannot write any more. Calls that wait throw, and all that
  /// come later. The descriptors are closed too. Closing twice is fine.
  public func close() {
    endReading()
    writer.end(SegueError(.closed, "The streams are closed."))
    open.closeOutput()
  }

  /// Closes the direction that is read.
  package func endReading() {
    reader.end(SegueError(.closed, "The streams are closed."))
    open.closeInput()
  }

  /// Writes all of the data. Throws where the other side is gone, or has closed its stream.
  public func write(_ data: Data) async throws { try await writer.perform(writer.all(data)) }

  /// Reads a message, as `writeMessage` writes it; nil at the end of the stream.
  /// - Parameter maximum: a message that says that it is longer is not read, and an error; it stays the next one.
  public func readMessage(maximum: Int = 1 << 20) async throws -> Data? {
    try await reader.perform { [reader] _ in try reader.message(maximum) }
  }

  /// Writes a message: its length in four bytes, the highest first, then its bytes.
  public func writeMessage(_ data: Data) async throws {
    guard let length = UInt32(exactly: data.count) else { throw SegueError(result: -E2BIG) }
    try await write(withUnsafeBytes(of: length.bigEndian) { Data($0) } + data)
  }

  /// Why the streams were lost; nil where nothing is known of a loss, and once they are closed.
  public var lossReason: (any Error)? {
    reader.whileOpen { () -> (any Error)? in
      guard let raw = read(nil, { segue_stream_copy_error(input, $0) }) else { return nil }
      defer { segue_error_unref(raw) }
      return SegueError.of(raw)
    } ?? nil
  }

  /// Says that nothing more is written: the other side reads the end. Writes that wait throw, and all that come later.
  public func finish() {
    writer.end(SegueError(.closed, "The stream is finished."))
    open.finishOutput()
  }

  public func makeAsyncIterator() -> Iterator { Iterator(streams: self) }

  /// The parts as they come, 64 KiB at most.
  public struct Iterator: AsyncIteratorProtocol {
    let streams: ContinuationStreams

    public mutating func next() async throws -> Data? {
      try await streams.reader.perform { [reader = streams.reader] _ in try reader.part() }
    }
  }
}

/// The descriptors of a pair, each closed once, when no call uses it any more.
private final class OpenDescriptors: @unchecked Sendable {
  private let lock = NSLock()
  private var input: Int32?
  private var output: Int32?
  private var isFinished = false

  init(input: Int32, output: Int32) {
    self.input = input
    self.output = output
  }

  func closeInput() {
    lock.withLock {
      guard let closed = input else { return }
      input = nil
      // A socket is both, and stays open for the other direction.
      if closed == output { shutdown(closed, Int32(SHUT_RD)) } else { close(closed) }
    }
  }

  func closeOutput() {
    lock.withLock {
      guard let closed = output else { return }
      output = nil
      if closed == input { shutdown(closed, Int32(SHUT_WR)) } else { close(closed) }
    }
  }

  func finishOutput() {
    lock.withLock {
      guard let output, !isFinished else { return }
      isFinished = true
      guard shutdown(output, Int32(SHUT_WR)) != 0 else { return }
      // A pipe's end is closed; its number stays this object's, since the program may have it in a loop of its own.
      let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
      if nothing >= 0, dup2(nothing, output) >= 0 {
        _ = fcntl(output, F_SETFD, FD_CLOEXEC)
        close(nothing)
      } else {
        if nothing >= 0 { close(nothing) }
        close(output)
        self.output = nil
      }
    }
  }
}
