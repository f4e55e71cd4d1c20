import SegueBus
import SegueCore
import SegueEngine

/// Continuation streams: makes their descriptors, brings them to the applications, and moves the bytes of those that go
/// to other devices. The engine decides who has one and when it ends.
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

    let channel: ChannelID
    var stage: Stage
    let inode: UInt64?
    /// Until the application that has asked is told.
    var pair: StreamDescriptors?
    let pump: StreamPump
    /// The application has closed its ends, or has all.
    var isDrained = false

    init(_ channel: ChannelID, _ stage: Stage, _ pair: StreamDescriptors, _ pump: StreamPump) {
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
  private var ids: [ChannelID: StreamID] = [:]
  private var locals: [StreamID: LocalStream] = [:]

  init(link: LinkService, door: DoorService, loop: EventLoop, tell: @escaping (Event) -> Void) {
    self.link = link
    self.door = door
    self.loop = loop
    self.tell = tell
    link.routes["stream"] = route(opened: { [unowned self] in asked($0, $1, $2) })
  }

  func perform(_ effect: StreamEffect) {
    switch effect {
    case .open(let id, let request, let device): open(id, request, device)
    case .accept(let id, let channel, let activity, let session): accept(id, channel, activity, session)
    case .connect(let id, let activity, let session): connect(id, activity, session)
    case .begin(let id): begin(id)
    case .refuse(let channel, let error): refuse(channel, error)
    case .end(let id, let error, let session): end(id, error, session)
    }
  }

  /// The pair of an application that has asked, once.
  func takePair(of id: StreamID) -> StreamDescriptors? {
    defer {
      crossings[id]?.pair = nil
      locals[id]?.pair = nil
    }
    return crossings[id]?.pair ?? locals[id]?.pair
  }

  /// Looks which streams between applications of this device are over, since nothing of them passes here. Asked before
  /// another one is wanted, and when an application leaves.
  func noteEnds() {
    for (id, stream) in locals.sorted(by: { $0.key < $1.key }) where stream.pair == nil && stream.isOver {
      locals[id] = nil
      tell(.stream(.closed(id)))
    }
  }

  /// All of them end.
  func close() {
    for crossing in crossings.values { crossing.pump.end() }
    crossings = [:]
    ids = [:]
    locals = [:]
  }

  // MARK: What the engine wants

  private func open(_ id: StreamID, _ request: StreamRequest, _ device: DeviceID) {
    do throws(SegueError) {
      let (bytes, ends) = (try request.encode(), try StreamEnds())
      guard let channel = link.openChannel(to: device, first: bytes, route()) else {
        throw SegueError(.connectionUnavailable, "The device is not linked.")
      }
      do throws(SegueError) {
        try add(id, channel, .asked([]), ends)
      } catch {
        link.reset(channel, .system)
        throw error
      }
    } catch {
      tell(.stream(.answered(id, error)))
    }
  }

  private func accept(_ id: StreamID, _ channel: ChannelID, _ activity: Identifier, _ session: SessionID) {
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
    _ id: StreamID, _ channel: ChannelID, _ stage: Crossing.Stage, _ ends: StreamEnds
  ) throws(SegueError) {
    let wire = StreamPump.Wire(
      send: { [link] in link.send($0, on: channel) }, finish: { [link] in link.finish(channel) },
      stop: { [link] in link.stopReading(channel) }, consumed: { [link] in link.consumed($0, on: channel) })
    let pump = try StreamPump(
      ends, loop, wire, used: { [unowned self] in tell(.stream(.used(id))) },
      closed: { [unowned self] in
        crossings[id]?.isDrained = true
        closeIfDone(id)
      })
    crossings[id] = Crossing(channel, stage, ends.pair, pump)
    ids[channel] = id
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
      link.send(head, on: crossing.channel)
    }
    crossing.stage = .open
    crossing.pump.begin()
  }

  private func refuse(_ channel: ChannelID, _ error: SegueError) {
    guard let head = try? StreamHead.failure(error).encode() else { return link.reset(channel, error.code) }
    link.send(head, on: channel, finishing: true)
  }

  private func end(_ id: StreamID, _ error: SegueError, _ session: SessionID?) {
    if let local = locals.removeValue(forKey: id) {
      if let session, let inode = local.inode { door.streamEnded(inode, error, session) }
      return
    }
    guard let crossing = crossings.removeValue(forKey: id) else { return }
    ids[crossing.channel] = nil
    // First why, then what the descriptors show.
    if let session, let inode = crossing.inode { door.streamEnded(inode, error, session) }
    crossing.pump.end()
    switch crossing.stage {
    case .owed: refuse(crossing.channel, error)
    case .asked, .open: link.reset(crossing.channel, error.code)
    case .ended: break
    }
  }

  // MARK: What comes over the link

  private func route(opened: @escaping (ChannelID, DeviceID, [UInt8]) -> Void = { _, _, _ in }) -> ChannelRoute {
    ChannelRoute(
      opened: opened, data: { [unowned self] in data($0, $1) }, finished: { [unowned self] in finished($0) },
      stopped: { [unowned self] in crossing($0)?.pump.stopped() },
      writable: { [unowned self] in crossing($0)?.pump.writable($1) },
      closed: { [unowned self] in closed($0, $1) }, consumes: true)
  }

  private func crossing(_ channel: ChannelID) -> Crossing? { ids[channel].flatMap { crossings[$0] } }

  private func asked(_ channel: ChannelID, _ device: DeviceID, _ first: [UInt8]) {
    do throws(SegueError) {
      tell(.link(.streamAsked(channel, device, try StreamRequest.decode(first))))
    } catch {
      refuse(channel, error)
    }
  }

  private func data(_ channel: ChannelID, _ bytes: [UInt8]) {
    guard let id = ids[channel], let crossing = crossings[id] else { return link.consumed(bytes.count, on: channel) }
    switch crossing.stage {
    case .open, .ended: crossing.pump.receive(bytes)
    case .asked(let head): answered(id, crossing, head, bytes)
    case .owed:
      // The opener has to wait for the answer.
      link.consumed(bytes.count, on: channel)
      tell(.stream(.failed(id, Self.malformed)))
    }
  }

  private func answered(_ id: StreamID, _ crossing: Crossing, _ former: [UInt8], _ bytes: [UInt8]) {
    do throws(SegueError) {
      let all = former + bytes
      guard let (head, length) = try StreamHead.decode(all) else {
        crossing.stage = .asked(all)
        return link.consumed(bytes.count, on: crossing.channel)
      }
      guard head == .accepted else {
        link.consumed(bytes.count, on: crossing.channel)
        if case .failure(let error) = head { tell(.stream(.answered(id, error))) }
        return
      }
      crossing.stage = .open
      tell(.stream(.answered(id, nil)))
      // Behind the head the stream's bytes begin.
      crossing.pump.receive(bytes, from: length - former.count)
    } catch {
      link.consumed(bytes.count, on: crossing.channel)
      tell(.stream(.answered(id, error)))
    }
  }

  private func finished(_ channel: ChannelID) {
    guard let id = ids[channel], let crossing = crossings[id] else { return }
    switch crossing.stage {
    // Who asks may be done with sending at once.
    case .open, .owed, .ended: crossing.pump.finished()
    case .asked: tell(.stream(.answered(id, Self.malformed)))
    }
  }

  private func closed(_ channel: ChannelID, _ error: SegueError?) {
    guard let id = ids.removeValue(forKey: channel) else { return }
    guard let crossing = crossings[id] else { return }
    if let error { return tell(.stream(.failed(id, error))) }
    crossing.stage = .ended
    closeIfDone(id)
  }

  private func closeIfDone(_ id: StreamID) {
    guard let crossing = crossings[id], crossing.isDrained, case .ended = crossing.stage else { return }
    crossings[id] = nil
    tell(.stream(.closed(id)))
  }

  private static let malformed = SegueError(.protocolViolation, "The other device does not speak as a stream does.")
}
