import CLinux
import SegueBus
import SegueCore

/// Moves the bytes of one stream between its application's descriptors and a channel of the link, both ways.
///
/// It reads from the application only what the channel has room for, and lets the other device send more only when the
/// application's socket has taken what came. So a slow reader holds back its own writer, over both daemons, and here
/// waits no more than `Limits.streamBytes` one way and a channel's window the other.
final class StreamPump {
  /// The channel, as far as bytes go.
  struct Wire {
    var send: ([UInt8]) -> Void
    /// Ends the sending direction.
    var finish: () -> Void
    /// Ends the receiving direction: bytes that still arrive are thrown away.
    var stop: () -> Void
    /// So many received bytes have been consumed: called once for each `receive`.
    var consumed: (Int) -> Void
  }

  /// Bytes that have arrived and wait for the application, and what they count for on the channel.
  private struct Arrived {
    let bytes: [UInt8]
    var offset: Int
    let charge: Int
  }

  private let loop: EventLoop
  private let wire: Wire
  /// A first byte has gone one way or the other.
  private let used: () -> Void
  /// Both directions are over in order.
  private let closed: () -> Void

  // From the application. No source: the application has closed its output, or the other device no longer reads it.
  private var source: FileDescriptor?
  private var sourceWatch: LoopWatch?
  private var room = Limits.streamBytes
  private var hasBegun = false

  // To the application. No sink: the application has all bytes, or has closed its input.
  private var sink: FileDescriptor?
  private var sinkWatch: LoopWatch?
  private var arrived: [Arrived] = []
  private var first = 0
  private var isRemoteFinished = false

  private var isUsed = false

  init(
    _ ends: StreamEnds, _ loop: EventLoop, _ wire: Wire, used: @escaping () -> Void, closed: @escaping () -> Void
  ) throws(SegueError) {
    self.loop = loop
    self.wire = wire
    self.used = used
    self.closed = closed
    source = ends.source
    sink = ends.sink
    // The other end's hangup is what is waited for, until there is something to write.
    sinkWatch = try loop.watch(ends.sink.raw, .hangup) { [weak self] in self?.sinkIsReady($0) }
  }

  /// Each side has its pair: what the application writes goes to the other device from now on.
  func begin() {
    guard !hasBegun, let source else { return }
    hasBegun = true
    do throws(SegueError) {
      sourceWatch = try loop.watch(source.raw, .readable) { [weak self] _ in self?.read() }
    } catch {
      // As if the application had closed it: it sees that nobody reads.
      endSource()
    }
  }

  /// Ends both directions. The application reads what its socket holds, and then gets an error, since the byte in it
  /// stays unread.
  func end() {
    closeSource()
    closeSink()
    dropArrived()
  }

  private var isOver: Bool { source == nil && sink == nil }

  private func tellUsed() {
    guard !isUsed else { return }
    isUsed = true
    used()
  }

  // MARK: From the application

  /// Reads in one turn: others have theirs.
  private static let readsPerTurn = 2
  /// One read takes the two frames that leave together. Each read holds the pipe's lock, for which the application
  /// waits, and wakes it.
  private static let readLength = 2 * Limits.dataLength

  private func read() {
    for _ in 0..<Self.readsPerTurn {
      guard let source, room >= Limits.frameLength else { break }
      var failure: Int32 = 0
      let length = min(room, Self.readLength)
      var bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
        let result = CLinux.read(source.raw, buffer.baseAddress, length)
        if result < 0 { failure = segue_errno() }
        count = max(0, result)
      }
      guard failure == 0 else {
        guard [EAGAIN, EINTR].contains(failure) else { return endSource() }
        break
      }
      guard !bytes.isEmpty else { return endSource() }
      // A few bytes do not hold the memory of many while they wait.
      if bytes.count < length / 2 { bytes = bytes.withUnsafeBufferPointer { Array($0) } }
      room -= bytes.count
      wire.send(bytes)
      tellUsed()
    }
    // A watch that may not read would only tell again and again of what waits.
    sourceWatch?.setEvents(room >= Limits.frameLength ? .readable : [])
  }

  /// The channel has sent so many bytes.
  func writable(_ count: Int) {
    room = min(room + count, Limits.streamBytes)
    if room >= Limits.frameLength { sourceWatch?.setEvents(.readable) }
  }

  /// The other application reads no more: this one's writes fail from now on.
  func stopped() { endSource() }

  private func endSource() {
    guard source != nil else { return }
    closeSource()
    wire.finish()
    if isOver { closed() }
  }

  private func closeSource() {
    sourceWatch?.cancel()
    sourceWatch = nil
    source = nil
  }

  // MARK: To the application

  /// Bytes have arrived, the first `offset` of which are no part of the stream.
  func receive(_ bytes: [UInt8], from offset: Int = 0) {
    if offset < bytes.count { tellUsed() }
    guard sink != nil, offset < bytes.count else { return wire.consumed(bytes.count) }
    arrived.append(Arrived(bytes: bytes, offset: offset, charge: bytes.count))
    write()
  }

  /// The other device sends no more bytes.
  func finished() {
    isRemoteFinished = true
    write()
  }

  private func sinkIsReady(_ events: Events) {
    if !events.isDisjoint(with: [.hangup, .failed]) { return inputWasClosed() }
    write()
  }

  private func write() {
    guard let sink else { return }
    while first < arrived.count {
      let part = arrived[first]
      let count = part.bytes.withUnsafeBytes { buffer in
        segue_send(sink.raw, buffer.baseAddress?.advanced(by: part.offset), buffer.count - part.offset)
      }
      if count < 0 {
        if segue_errno() == EINTR { continue }
        guard segue_errno() == EAGAIN else { return inputWasClosed() }
        sinkWatch?.setEvents([.writable, .hangup])
        return
      }
      arrived[first].offset += count
      guard arrived[first].offset == part.bytes.count else { continue }
      arrived[first] = Arrived(bytes: [], offset: 0, charge: 0)
      first += 1
      wire.consumed(part.charge)
    }
    arrived.removeAll(keepingCapacity: true)
    first = 0
    if isRemoteFinished { endOfFile() } else { sinkWatch?.setEvents(.hangup) }
  }

  /// In order: without its byte, the socket ends as a file does.
  private func endOfFile() {
    guard let sink else { return }
    var byte: UInt8 = 0
    _ = CLinux.read(sink.raw, &byte, 1)
    closeSink()
    if isOver { closed() }
  }

  /// The application no longer reads.
  private func inputWasClosed() {
    guard sink != nil else { return }
    closeSink()
    dropArrived()
    if !isRemoteFinished { wire.stop() }
    if isOver { closed() }
  }

  /// Consumes the bytes that the application will not read: until then the channel counts against the peer's quota of
  /// channels.
  private func dropArrived() {
    let dropped = arrived[first...]
    arrived = []
    first = 0
    for part in dropped { wire.consumed(part.charge) }
  }

  private func closeSink() {
    sinkWatch?.cancel()
    sinkWatch = nil
    sink = nil
  }
}
