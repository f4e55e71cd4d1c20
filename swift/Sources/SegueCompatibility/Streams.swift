#if !canImport(Darwin)
  import Foundation
  import Glibc
  import Segue

  /// The reading end of a pair, as Foundation has it. Reading waits until something is there. The descriptors are closed
  /// when both ends are gone.
  final class StreamInput: InputStream {
    private let streams: ContinuationStreams
    private var status = Stream.Status.notOpen
    private var failure: (any Error)?

    init(_ streams: ContinuationStreams) {
      self.streams = streams
      super.init(data: Data())
    }

    override func open() { if status == .notOpen { status = .open } }
    override func close() { status = .closed }
    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { failure }

    override var hasBytesAvailable: Bool {
      guard status == .open else { return false }
      var ready = pollfd(fd: streams.input, events: Int16(POLLIN), revents: 0)
      return poll(&ready, 1, 0) > 0
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
      guard status == .open else { return -1 }
      while true {
        let count = Glibc.read(streams.input, buffer, length)
        if count > 0 { return count }
        if count == 0 {
          status = .atEnd
          return 0
        }
        switch errno {
        case EINTR: continue
        case EAGAIN:
          var ready = pollfd(fd: streams.input, events: Int16(POLLIN), revents: 0)
          _ = poll(&ready, 1, -1)
        default:
          failure = streams.lossReason ?? POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
          status = .error
          return -1
        }
      }
    }
  }

  /// The writing end; closing it ends what the other side reads.
  final class StreamOutput: OutputStream {
    private let streams: ContinuationStreams
    private var status = Stream.Status.notOpen
    private var failure: (any Error)?

    init(_ streams: ContinuationStreams) {
      self.streams = streams
      super.init(toMemory: ())
    }

    /// Foundation requires it. Segue does not call it, and such a stream goes nowhere.
    required init(toMemory: ()) {
      streams = ContinuationStreams(input: -1, output: -1)
      super.init(toMemory: ())
    }

    override func open() { if status == .notOpen { status = .open } }
    override func close() {
      status = .closed
      streams.finish()
    }
    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { failure }

    override var hasSpaceAvailable: Bool {
      guard status == .open else { return false }
      var ready = pollfd(fd: streams.output, events: Int16(POLLOUT), revents: 0)
      return poll(&ready, 1, 0) > 0
    }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
      guard status == .open else { return -1 }
      do {
        let data = Data(bytes: buffer, count: length)
        return try streams.writer.wait { [writer = streams.writer] _ in try writer.some(data) }
      } catch {
        failure = streams.lossReason ?? error
        status = .error
        return -1
      }
    }
  }
#endif
