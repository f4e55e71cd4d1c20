#if !canImport(Darwin)
  import Foundation
  import Segue

  /// The reading end of a pair, as Foundation has it: `read` waits until something is there, and the delegate of a stream
  /// that is scheduled in a run loop is told of events. The descriptor is closed with it.
  ///
  /// In a run loop of another thread than the main one, `run(mode:before:)` does not return after an event: only sources
  /// make it, and Foundation on Linux lets programs have none.
  final class StreamInput: InputStream {
    let streams: ContinuationStreams
    private let events: StreamEvents

    init(_ streams: ContinuationStreams) {
      self.streams = streams
      let reader = streams.reader
      events = StreamEvents(
        StreamEvents.End(
          event: .hasBytesAvailable,
          wait: { completion in reader.submit(StreamCall(), { [unowned reader] _ in try reader.ready() }, completion) },
          isReady: { reader.hasBytes == true },
          lossReason: { [weak streams] in streams?.lossReason }))
      super.init(data: Data())
      events.stream = self
    }

    deinit { _ = events.close() }

    override func open() { events.open() }
    override func close() { if events.close() { streams.endReading() } }
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

    /// True at the end of the stream too, which a read tells.
    override var hasBytesAvailable: Bool { events.status == .open && streams.reader.hasBytes ?? true }

    /// It has no buffer of its own to lend.
    override func getBuffer(
      _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }

    /// How many bytes were read; 0 at the end of the stream, and where none are asked for; -1 for an error.
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
      switch events.status {
      case .open where length >= 0: break
      case .atEnd: return 0
      default: return -1
      }
      guard length > 0 else { return 0 }
      do {
        let part = try streams.reader.wait { [reader = streams.reader] _ in try reader.part(length) }
        guard let part else {
          events.ended()
          return 0
        }
        part.copyBytes(to: buffer, count: part.count)
        events.wait()
        return part.count
      } catch {
        events.failed(error)
        return -1
      }
    }
  }
#endif
