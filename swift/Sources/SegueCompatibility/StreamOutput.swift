#if !canImport(Darwin)
  import Foundation
  import Segue

  /// The writing end; closing it ends what the other side reads. `write` waits until there is room for a part, and the
  /// delegate of a stream that is scheduled in a run loop is told of events, as `StreamInput`'s is.
  final class StreamOutput: OutputStream {
    private let streams: ContinuationStreams
    private let events: StreamEvents

    init(_ streams: ContinuationStreams) {
      self.streams = streams
      events = Self.events(streams)
      super.init(toMemory: ())
      events.stream = self
    }

    /// Foundation requires it. Segue does not call it, and such a stream goes nowhere: what is written is an error.
    required init(toMemory: ()) {
      streams = ContinuationStreams(input: -1, output: -1)
      events = Self.events(streams)
      super.init(toMemory: ())
      events.stream = self
    }

    private static func events(_ streams: ContinuationStreams) -> StreamEvents {
      let writer = streams.writer
      return StreamEvents(
        StreamEvents.End(
          event: .hasSpaceAvailable,
          wait: { completion in
            writer.submit(StreamCall(), { [unowned writer] _ in try writer.ready() }) {
              (result: Result<Void, any Error>) in
              completion(result.map { true })
            }
          },
          isReady: { (try? writer.whileOpen { try writer.hasRoom() }) == true },
          lossReason: { [weak streams] in streams?.lossReason }))
    }

    deinit { _ = events.close() }

    override func open() { events.open() }
    override func close() { if events.close() { streams.finish() } }
    override var streamStatus: Stream.Status { events.status }
    override var streamError: (any Error)? { events.error }
    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
      events.schedule(in: aRunLoop, forMode: mode)
    }
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
      events.remove(from: aRunLoop, forMode: mode)
    }
    /// It has no properties.
    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    /// True where the other side reads no more too, which a write tells.
    override var hasSpaceAvailable: Bool {
      guard events.status == .open else { return false }
      return (try? streams.writer.whileOpen { try streams.writer.hasRoom() } ?? false) ?? true
    }

    /// How many bytes were written, which may be fewer than there are; 0 where there are none; -1 for an error.
    override func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
      guard events.status == .open, length >= 0 else { return -1 }
      guard length > 0 else { return 0 }
      do {
        let data = Data(bytes: buffer, count: min(length, StreamWriter.most))
        let written = try streams.writer.wait { [writer = streams.writer] _ in try writer.some(data) }
        events.wait()
        return written
      } catch {
        events.failed(error)
        return -1
      }
    }
  }
#endif
