import SegueBus
import SegueCore
import SegueEngine
import SegueLink

/// Fetches over the link. Each has a channel of its own, which brings one request and takes one answer.
final class FetchService {
  private let link: LinkService
  private let loop: EventLoop
  private let log: Log
  private let tell: (Event.LinkEvent) -> Void
  /// The channels on which this device fetches.
  private var fetches: [FetchID: LinkChannel] = [:]
  /// The channels on which other devices fetch.
  private var asked: [ChannelID: LinkChannel] = [:]

  init(link: LinkService, loop: EventLoop, log: Log, tell: @escaping (Event.LinkEvent) -> Void) {
    self.link = link
    self.loop = loop
    self.log = log
    self.tell = tell
    link.routes["fetch"] = { [unowned self] in asked($0, $1) }
  }

  // MARK: Fetches of this device

  /// Asks a device for an activity's state. The fetch ends with `fetchAnswered` or `fetchLost`, unless it is cancelled;
  /// neither is told inside this call.
  func fetch(_ id: FetchID, _ request: FetchRequest, from device: DeviceID) {
    do throws(SegueError) {
      let channel = try link.openChannel(to: device, first: try request.encode(), finishing: true)
      fetches[id] = channel
      var answer: [UInt8] = []
      channel.take = { [unowned self] channel, event in
        switch event {
        case .data(let bytes):
          channel.consumed(bytes.count)
          guard answer.count + bytes.count <= FetchAnswer.maximum else {
            channel.reset(.handoffUserInfoTooLarge)
            return end(id, .fetchAnswered(id, .failure(FetchAnswer.tooLarge)))
          }
          answer += bytes
        case .finished: end(id, .fetchAnswered(id, Self.decode(answer)))
        case .closed(let error): end(id, .fetchLost(id, withLink: error?.code == .connectionUnavailable))
        case .stopped, .writable: break
        }
      }
    } catch {
      loop.later { [self] in tell(.fetchAnswered(id, .failure(error))) }
    }
  }

  /// The fetch is not waited for any more.
  func cancel(_ id: FetchID) { leave(id)?.reset(.userCancelled) }

  private func end(_ id: FetchID, _ event: Event.LinkEvent) {
    leave(id)
    tell(event)
  }

  @discardableResult private func leave(_ id: FetchID) -> LinkChannel? {
    let channel = fetches.removeValue(forKey: id)
    channel?.take = nil
    return channel
  }

  private static func decode(_ answer: [UInt8]) -> FetchAnswer {
    do throws(SegueError) { return try FetchAnswer.decode(answer) } catch { return .failure(error) }
  }

  // MARK: Fetches of other devices

  private func asked(_ channel: LinkChannel, _ request: ChannelRequest) {
    asked[channel.id] = channel
    channel.take = { [unowned self] channel, event in
      switch event {
      case .data(let bytes): channel.consumed(bytes.count)
      case .closed:
        asked[channel.id] = nil
        tell(.channelClosed(channel.id))
      // An answer is shorter than what may be under way.
      case .finished, .stopped, .writable: break
      }
    }
    do throws(SegueError) {
      tell(.fetchAsked(channel.id, channel.device, try FetchRequest(request)))
    } catch {
      answer(.failure(error), on: channel.id)
    }
  }

  /// Answers the fetch that came on a channel. Does nothing if the channel has ended.
  func answer(_ answer: FetchAnswer, on channel: ChannelID) {
    guard let channel = asked[channel] else { return }
    guard link.isPaired(channel.device) else { return channel.reset(.accessDenied) }
    do throws(SegueError) {
      channel.send(try answer.encode(), finishing: true)
    } catch {
      log.warning("a fetch's answer could not be encoded: \(error.message)", cause: "fetch")
      channel.reset(.handoffFailed)
    }
  }
}
