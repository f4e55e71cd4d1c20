import SegueBus
import SegueCore
import SegueEngine
import SegueLink

/// Continuation streams: makes their descriptors, brings them to the applications, and moves the bytes of those that go
/// to other devices. The engine decides which applications have a stream, and when it ends.
final class StreamService {
  /// A stream to another device.
  private final class Crossing {
    /// How far the channel is.
    enum Stage {
      /// The other device has not answered; so much of its answer is here.
      case asked([UInt8])
      /// The other device waits for this one's answer.
      case owed
      case open
      /// The channel has ended in order, and what came on it may still be on its way to the application.
      case ended
    }

    let channel: LinkChannel
    var stage: Stage
    let inode: UInt64?
    /// Until the application that has asked is told.
    var pair: StreamDescriptors?
    let pump: StreamPump
    /// The application has closed its ends, or has all.
    var isDrained = false

    init(_ channel: LinkChannel, _ stage: Stage, _ pair: StreamDescriptors, _ pump: StreamPump) {
      self.channel = channel
      self.stage = stage
      self.pair = pair
      inode = pair.inode
      self.pump = pump
    }
  }

  private let link: LinkService
  private let door: DoorService
  private let loop: EventLoop
  private let tell: (Event) -> Void
  private var crossings: [StreamID: Crossing] = [:]
  /// The channels that other devices have opened, until the engine has answered them.
  private var unanswered: [ChannelID: LinkChannel] = [:]
  private var locals: [StreamID: LocalStream] = [:]

  init(link: LinkService, door: DoorService, loop: EventLoop, tell: @escaping (Event) -> Void) {
    self.link = link
    self.door = door
    self.loop = loop
    self.tell = tell
    link.routes["stream"] = { [unowned self] in asked($0, $1) }
  }

  func perform(_ effect: StreamEffect) {
    switch effect {
    case .open(let id, let request, let device): open(id, request, device)
    case .accept(let id, let channel, let activity, let session): accept(id, channel, activity, session)
    case .connect(let id, let activity, let session): connect(id, activity, session)
    case .begin(let id): begin(id)
    case .refuse(let channel, let error):
      if let channel = unanswered.removeValue(forKey: channel) { refuse(channel, error) }
    case .end(let id, let error, let session): end(id, error, session)
    }
  }

  /// The pair that goes with a reply, once: the one of the application that has asked.
  func pair(with reply: Effect.Reply) -> StreamDescriptors? {
    guard case .stream(let id) = reply else { return nil }
    defer {
      crossings[id]?.pair = nil
      locals[id]?.pair = nil
    }
    return crossings[id]?.pair ?? locals[id]?.pair
  }

  /// An application asks for a stream. The engine first hears which ones there are no more, since it counts them.
  func ask(_ continuation: Identifier, for session: SessionID, _ request: RequestID) {
    noteEnds()
    tell(.door(session, .openStream(continuation: continuation, request)))
  }

  /// Looks which streams between applications of this device are over, since nothing of them passes here.
  private func noteEnds() {
    for (id, stream) in locals.sorted(by: { $0.key < $1.key }) where stream.pair == nil && stream.isOver {
      locals[id] = nil
      tell(.stream(.closed(id)))
    }
  }

  /// All of them end.
  func close() {
    for crossing in crossings.values { crossing.pump.end() }
    crossings = [:]
    unanswered = [:]
    locals = [:]
  }

  // MARK: The engine's requests

  private func open(_ id: StreamID, _ request: StreamRequest, _ device: DeviceID) {
    do throws(SegueError) {
      let (bytes, ends) = (try request.encode(), try StreamEnds())
      let channel = try link.openChannel(to: device, first: bytes)
      do throws(SegueError) {
        try add(id, channel, .asked([]), ends)
      } catch {
        channel.reset(.system)
        throw error
      }
    } catch {
      tell(.stream(.answered(id, error)))
    }
  }

  private func accept(_ id: StreamID, _ channel: ChannelID, _ activity: Identifier, _ session: SessionID) {
    guard let channel = unanswered.removeValue(forKey: channel) else {
      return tell(.door(session, .acceptedStream(id, SegueError(.connectionUnavailable, "The channel has ended."))))
    }
    do throws(SegueError) {
      let ends = try StreamEnds()
      try add(id, channel, .owed, ends)
      crossings[id]?.pair = nil
      door.acceptStream(id, activity, ends.pair, session)
    } catch {
      refuse(channel, error)
      tell(.door(session, .acceptedStream(id, error)))
    }
  }

  private func add(
    _ id: StreamID, _ channel: LinkChannel, _ stage: Crossing.Stage, _ ends: StreamEnds
  ) throws(SegueError) {
    let pump = try StreamPump(
      ends, loop, StreamPump.Wire(channel), used: { [unowned self] in tell(.stream(.used(id))) },
      closed: { [unowned self] in
        crossings[id]?.isDrained = true
        closeIfDone(id)
      })
    crossings[id] = Crossing(channel, stage, ends.pair, pump)
    channel.take = { [unowned self] in take(id, $0, $1) }
  }

  private func connect(_ id: StreamID, _ activity: Identifier, _ session: SessionID) {
    do throws(SegueError) {
      let (stream, other) = try LocalStream.make()
      locals[id] = stream
      door.acceptStream(id, activity, other, session)
    } catch {
      tell(.door(session, .acceptedStream(id, error)))
    }
  }

  private func begin(_ id: StreamID) {
    guard let crossing = crossings[id] else { return }
    if case .owed = crossing.stage, let head = try? StreamHead.accepted.encode() {
      crossing.channel.send(head)
    }
    crossing.stage = .open
    crossing.pump.begin()
  }

  private func refuse(_ channel: LinkChannel, _ error: SegueError) {
    guard let head = try? StreamHead.failure(error).encode() else { return channel.reset(error.code) }
    channel.send(head, finishing: true)
  }

  private func end(_ id: StreamID, _ error: SegueError, _ session: SessionID?) {
    if let local = locals.removeValue(forKey: id) {
      if let session, let inode = local.inode { door.streamEnded(inode, error, session) }
      return
    }
    guard let crossing = crossings.removeValue(forKey: id) else { return }
    crossing.channel.take = nil
    // First why, then what the descriptors show.
    if let session, let inode = crossing.inode { door.streamEnded(inode, error, session) }
    crossing.pump.end()
    switch crossing.stage {
    case .owed: refuse(crossing.channel, error)
    case .asked, .open: crossing.channel.reset(error.code)
    case .ended: break
    }
  }

  // MARK: Messages over the link

  private func asked(_ channel: LinkChannel, _ opening: ChannelRequest) {
    do throws(SegueError) {
      let request = try StreamRequest(opening)
      unanswered[channel.id] = channel
      channel.take = { [unowned self] channel, event in
        switch event {
        case .data(let bytes): channel.consumed(bytes.count)
        case .closed: unanswered[channel.id] = nil
        case .finished, .stopped, .writable: break
        }
      }
      tell(.link(.streamAsked(channel.id, channel.device, request)))
    } catch {
      refuse(channel, error)
    }
  }

  private func take(_ id: StreamID, _ channel: LinkChannel, _ event: LinkChannel.Event) {
    guard let crossing = crossings[id] else { return }
    switch event {
    case .data(let bytes): data(id, crossing, bytes)
    case .finished:
      switch crossing.stage {
      // The asking side may be done with sending at once.
      case .open, .owed, .ended: crossing.pump.finished()
      case .asked: tell(.stream(.answered(id, Self.malformed)))
      }
    case .stopped: crossing.pump.stopped()
    case .writable(let count): crossing.pump.writable(count)
    case .closed(let error):
      if let error { return tell(.stream(.failed(id, error))) }
      crossing.stage = .ended
      closeIfDone(id)
    }
  }

  private func data(_ id: StreamID, _ crossing: Crossing, _ bytes: [UInt8]) {
    switch crossing.stage {
    case .open, .ended: crossing.pump.receive(bytes)
    case .asked(let head): answered(id, crossing, head, bytes)
    case .owed:
      // The opener has to wait for the answer.
      crossing.channel.consumed(bytes.count)
      tell(.stream(.failed(id, Self.malformed)))
    }
  }

  private func answered(_ id: StreamID, _ crossing: Crossing, _ former: [UInt8], _ bytes: [UInt8]) {
    do throws(SegueError) {
      let all = former + bytes
      guard let (head, length) = try StreamHead.decode(all) else {
        crossing.stage = .asked(all)
        return crossing.channel.consumed(bytes.count)
      }
      guard head == .accepted else {
        crossing.channel.consumed(bytes.count)
        if case .failure(let error) = head { tell(.stream(.answered(id, error))) }
        return
      }
      crossing.stage = .open
      tell(.stream(.answered(id, nil)))
      // Behind the head the stream's bytes begin.
      crossing.pump.receive(bytes, from: length - former.count)
    } catch {
      crossing.channel.consumed(bytes.count)
      tell(.stream(.answered(id, error)))
    }
  }

  private func closeIfDone(_ id: StreamID) {
    guard let crossing = crossings[id], crossing.isDrained, case .ended = crossing.stage else { return }
    crossings[id] = nil
    tell(.stream(.closed(id)))
  }

  private static let malformed = SegueError(
    .protocolViolation, "The other device does not follow the protocol of streams.")
}

extension StreamPump.Wire {
  fileprivate init(_ channel: LinkChannel) {
    self.init(
      send: { channel.send($0) }, finish: { channel.finish() }, stop: { channel.stopReading() },
      consumed: { channel.consumed($0) })
  }
}
