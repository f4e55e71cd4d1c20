import SegueCore

/// A byte stream between this device and another one, within their link. The one that has opened it, or is told that it
/// was opened, keeps it and sets `take`. It belongs to the link's loop, and is called on its thread.
public final class LinkChannel: Equatable, @unchecked Sendable {
  /// An event of a channel. Each channel ends with exactly one `closed`.
  public enum Event: Equatable, Sendable {
    /// Bytes have come. They stay charged to the other side's window until they are `consumed`.
    case data([UInt8])
    /// The other side has sent all that it will.
    case finished
    /// The other side reads no more: what is still sent is thrown away there.
    case stopped
    /// So many more bytes may be sent (see `send`).
    case writable(Int)
    /// The end: nil if both sides finished.
    case closed(SegueError?)
  }

  /// Never used twice in a process.
  public let id: ChannelID
  /// The other device.
  public let device: DeviceID
  /// Is called with each event, at the end of the loop's turn, as the link's owner is. Where it is nil, bytes that come are
  /// consumed at once, and all else is ignored.
  public var take: ((LinkChannel, Event) -> Void)?
  /// The traffic that carries it, and its number there; nil before it was opened, and when the traffic has forgotten it.
  private var place: (traffic: Traffic, number: UInt32)?
  private(set) var isClosed = false

  init(_ id: ChannelID, with device: DeviceID) {
    self.id = id
    self.device = device
  }

  public static func == (one: LinkChannel, other: LinkChannel) -> Bool { one === other }

  /// Sends bytes; ignored where it is closed or finished. At most `LinkSettings.queue` bytes may be under way:
  /// `writable` gives them back in portions of a quarter at least. More reset the channel (`limitExceeded`).
  /// `finishing`: as `finish`, and both leave together.
  public func send(_ bytes: [UInt8], finishing: Bool = false) {
    change(sending: bytes.count, isLast: finishing) { mux, number in
      mux?.send(bytes, on: number)
      if finishing { mux?.finish(number) }
    }
  }

  /// The owner will send nothing more; the other side may go on. Bytes that wait are still sent.
  public func finish() { change { $0?.finish($1) } }

  /// The owner reads no more, and the other side may stop sending; until then, bytes that come are to be consumed as before.
  public func stopReading() { change { $0?.stopReading($1) } }

  /// Ends it at once in both directions; the other side is told the code.
  public func reset(_ code: SegueError.Code) {
    change { $0?.reset($1, SegueError(code, "This device ended the channel (\(code.name)).")) }
  }

  /// The owner is done with the bytes of one `data`, so the other side may send more. To be called once for each, with
  /// its count, even after the channel was closed.
  public func consumed(_ count: Int) { change { $0?.consumed(count, on: $1) } }

  private func change(sending count: Int = 0, isLast: Bool = false, _ body: (inout Mux?, UInt32) -> Void) {
    guard let (traffic, number) = place else { return }
    traffic.change(number, sending: count, isLast: isLast) { body(&$0, number) }
  }

  // MARK: Calls of the traffic

  func opened(_ traffic: Traffic, _ number: UInt32) { place = (traffic, number) }

  /// It is over; bytes that came on it may still be consumed. Returns whether that is news.
  func close() -> Bool {
    defer { isClosed = true }
    return !isClosed
  }

  /// The traffic forgets it.
  func leave() { place = nil }

  func tell(_ event: Event) {
    guard let take else {
      if case .data(let bytes) = event { consumed(bytes.count) }
      return
    }
    // The function may hold the channel itself.
    if case .closed = event { self.take = nil }
    take(self, event)
  }
}
