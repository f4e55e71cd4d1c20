import SegueCore
import SegueEngine

/// The channels that this device has opened to fetch, and what has arrived on them. Pure.
struct FetchChannels {
  private struct Fetch {
    let id: FetchID
    var bytes: [UInt8] = []
  }

  private var fetches: [ChannelID: Fetch] = [:]

  /// Notes that the fetch goes over this channel.
  mutating func begin(_ id: FetchID, on channel: ChannelID) { fetches[channel] = Fetch(id: id) }

  /// Forgets a fetch whose answer is no longer needed. Returns its channel, which the caller ends.
  mutating func cancel(_ id: FetchID) -> ChannelID? {
    guard let channel = fetches.first(where: { $0.value.id == id })?.key else { return nil }
    fetches[channel] = nil
    return channel
  }

  /// Bytes of the answer have arrived. Returns an event if they are too many; the caller then ends the channel.
  mutating func received(_ bytes: [UInt8], on channel: ChannelID) -> Event.LinkEvent? {
    // Taken out of the dictionary while it is appended to; otherwise that would copy all bytes.
    guard var fetch = fetches.removeValue(forKey: channel) else { return nil }
    guard fetch.bytes.count + bytes.count <= FetchAnswer.maximum else {
      return .fetchAnswered(fetch.id, .failure(FetchAnswer.tooLarge))
    }
    fetch.bytes += bytes
    fetches[channel] = fetch
    return nil
  }

  /// The whole answer has arrived.
  mutating func finished(_ channel: ChannelID) -> Event.LinkEvent? {
    guard let fetch = fetches.removeValue(forKey: channel) else { return nil }
    do throws(SegueError) {
      return .fetchAnswered(fetch.id, try FetchAnswer.decode(fetch.bytes))
    } catch {
      return .fetchAnswered(fetch.id, .failure(error))
    }
  }

  /// The channel has ended: because the link did, or by the other device alone.
  mutating func closed(_ channel: ChannelID, _ error: SegueError?) -> Event.LinkEvent? {
    guard let fetch = fetches.removeValue(forKey: channel) else { return nil }
    return .fetchLost(fetch.id, withLink: error?.code == .connectionUnavailable)
  }
}
