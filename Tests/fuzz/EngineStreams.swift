import SegueCore

@testable import SegueEngine

/// The streams of an `EngineWorld`, as an outside observer knows them: which there are, which applications were
/// brought one and have not answered, and on which channels another device waits.
final class StreamsWorld {
  private var live: Set<StreamID> = []
  private var ended: Set<StreamID> = []
  private var begun: Set<StreamID> = []
  private var brought: [StreamID: SessionID] = [:]
  private var channels: Set<ChannelID> = []
  private var channelOf: [StreamID: ChannelID] = [:]

  var isAtRest: Bool { live.isEmpty && channels.isEmpty }

  func restart() { (live, begun, brought, channels, channelOf) = ([], [], [:], [], [:]) }

  func left(_ session: SessionID) { brought = brought.filter { $0.value != session } }

  /// Another device opens a channel; the link bounds how many there are.
  func opened(_ channel: ChannelID) -> ChannelID? {
    guard channels.count < 8 else { return nil }
    channels.insert(channel)
    return channel
  }

  /// Something happens to a stream, likely or not.
  func event(_ bytes: inout Bytes, _ session: SessionID, _ error: SegueError?) -> Event? {
    let id = bytes.any(of: live.sorted()) ?? StreamID(bytes.byte())
    switch bytes.below(6) {
    case 0: return .stream(.used(id))
    case 1: return .stream(.closed(gone(id)))
    case 2: return .stream(.failed(id, error ?? SegueError(.connectionUnavailable)))
    case 3: return .stream(.answered(id, error))
    default:
      guard let id = bytes.any(of: brought.keys.sorted()), let owner = brought[id] else { return nil }
      let isOwner = bytes.bool()
      if isOwner { brought[id] = nil }
      return .door(isOwner ? owner : session, .acceptedStream(id, error))
    }
  }

  private func gone(_ id: StreamID) -> StreamID {
    if live.remove(id) != nil { ended.insert(id) }
    if let channel = channelOf.removeValue(forKey: id) { channels.remove(channel) }
    return id
  }

  func perform(_ effect: StreamEffect, sessions: Set<SessionID>, paired: Set<DeviceID>) {
    switch effect {
    case .open(let id, _, let device):
      check(paired.contains(device), "a stream to a device that is not paired")
      add(id)
    case .accept(let id, let channel, _, let session):
      check(channels.contains(channel), "a stream on no channel")
      channelOf[id] = channel
      bring(id, session, sessions)
    case .connect(let id, _, let session): bring(id, session, sessions)
    case .begin(let id):
      check(live.contains(id), "a stream begins that there is not")
      check(begun.insert(id).inserted, "a stream begins twice")
    case .refuse(let channel, _): check(channels.remove(channel) != nil, "a channel is refused twice")
    case .end(let id, let error, _):
      check(live.contains(id), "a stream ends twice")
      check(!error.message.isEmpty, "an end without a reason")
      _ = gone(id)
    }
  }

  private func add(_ id: StreamID) {
    check(!ended.contains(id) && live.insert(id).inserted, "a stream's number is used again")
    check(live.count <= Limits.streams, "\(live.count) streams")
  }

  private func bring(_ id: StreamID, _ session: SessionID, _ sessions: Set<SessionID>) {
    check(sessions.contains(session), "a stream for an application that is not there")
    add(id)
    brought[id] = session
    let count = brought.values.count { $0 == session }
    check(count <= Limits.streamsUnanswered, "\(count) streams that an application has not answered")
  }

  func replied(_ id: StreamID) { check(live.contains(id) && begun.contains(id), "a pair of a stream that is not open") }

  /// Closes all streams that are left, in order.
  func atTheEnd() -> [Event] { begun.intersection(live).sorted().map { .stream(.closed(gone($0))) } }
}
