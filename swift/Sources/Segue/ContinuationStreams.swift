import CSegueLibrary
import Dispatch
import Foundation
import Glibc

/// A pair of streams between the device that continues an activity and its origin.
///
///     let streams = try await activity.continuationStreams()
///     try await streams.write(Data("draft\n".utf8))
///     for try await part in streams { … }
///
/// The descriptors are closed with the object. A lost device is an error, never the end of the stream.
public final class ContinuationStreams: Sendable, AsyncSequence {
  public typealias Element = Data

  /// To be read, for a loop of your own; closed with this object.
  public let input: Int32
  /// To be written, likewise.
  public let output: Int32
  private let queue = DispatchQueue(label: "org.segue.streams", attributes: .concurrent)

  /// The descriptors are this object's from now on.
  package init(input: Int32, output: Int32) {
    self.input = input
    self.output = output
  }

  deinit {
    close(input)
    if output != input { close(output) }
  }

  /// Writes all of the data. Throws where the other side is gone, or has closed its stream.
  public func write(_ data: Data) async throws {
    try await perform { [self] in try data.withUnsafeBytes { try writeAll($0) } }
  }

  /// The same on the caller's thread, which waits.
  package func writeAll(_ bytes: UnsafeRawBufferPointer) throws {
    try check(segue_stream_write_all(output, bytes.baseAddress, bytes.count, -1))
  }

  /// Reads a message, as `writeMessage` writes it; nil at the end of the stream.
  /// - Parameter maximum: a message that says that it is longer is not read, and an error.
  public func readMessage(maximum: Int = 1 << 20) async throws -> Data? {
    try await perform { [input] in
      var (bytes, length): (UnsafeMutableRawPointer?, Int) = (nil, 0)
      let result = try check(segue_stream_read_message(input, maximum, -1, &bytes, &length))
      defer { segue_free(bytes) }
      guard result == 0, let bytes else { return nil }
      return Data(bytes: bytes, count: length)
    }
  }

  /// Writes a message: its length in four bytes, the highest first, then its bytes.
  public func writeMessage(_ data: Data) async throws {
    try await perform { [output] in
      _ = try data.withUnsafeBytes { try check(segue_stream_write_message(output, $0.baseAddress, $0.count, -1)) }
    }
  }

  /// Why the streams were lost; nil where nothing is known of a loss.
  public var lossReason: (any Error)? {
    guard let raw = read(nil, { segue_stream_copy_error(input, $0) }) else { return nil }
    defer { segue_error_unref(raw) }
    return SegueError.of(raw)
  }

  /// Says that nothing more is written: the other side reads the end.
  public func finish() {
    guard shutdown(output, Int32(SHUT_WR)) != 0 else { return }
    // A pipe's end is closed; the descriptor stays this object's, for `deinit`.
    let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard nothing >= 0 else { return }
    _ = dup2(nothing, output)
    _ = fcntl(output, F_SETFD, FD_CLOEXEC)
    Glibc.close(nothing)
  }

  public func makeAsyncIterator() -> Iterator { Iterator(streams: self) }

  /// The parts as they come, 64 KiB at most.
  public struct Iterator: AsyncIteratorProtocol {
    let streams: ContinuationStreams

    public mutating func next() async throws -> Data? { try await streams.part() }
  }

  private func part() async throws -> Data? {
    try await perform { [input] in
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = Glibc.read(input, &buffer, buffer.count)
        if count > 0 { return Data(buffer[..<count]) }
        if count == 0 { return nil }
        switch errno {
        case EINTR: continue
        case EAGAIN:
          var ready = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
          _ = poll(&ready, 1, -1)
        default: throw SegueError(result: -errno)
        }
      }
    }
  }

  /// Waits on a thread of Dispatch's, and never on one of Swift's tasks.
  private func perform<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      // The object, and so its descriptors, live until the call has returned.
      queue.async { [self] in continuation.resume(with: Result { try withExtendedLifetime(self, body) }) }
    }
  }
}
