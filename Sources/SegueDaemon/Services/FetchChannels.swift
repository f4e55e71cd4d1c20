import SegueCore
import SegueEngine
import SegueLink

/// The channels that this device has opened to fetch, and what has arrived on them. Pure.
struct FetchChannels {
  private struct Fetch {
    let channel: LinkChannel
    var bytes: [UInt8] = []
  }

  private var fetches: [FetchID: Fetch] = [:]

  /// Notes that the fetch goes over this channel.
  mutating func begin(_ id: FetchID, on channel: LinkChannel) { fetches[id] = Fetch(channel: channel) }

  /// Nobody waits for the fetch any more. Returns its channel, which the caller ends.
  mutating func cancel(_ id: FetchID) -> LinkChannel? { fetches.removeValue(forKey: id)?.channel }

  /// Bytes of the answer have arrived. Returns an event if they are too many; the caller then ends the channel.
  mutating func received(_ bytes: [UInt8], of id: FetchID) -> Event.LinkEvent? {
    // Taken out of the dictionary while it is appended to; otherwise that would copy all bytes.
    guard var fetch = fetches.removeValue(forKey: id) else { return nil }
    guard fetch.bytes.count + bytes.count <= FetchAnswer.maximum else {
      return .fetchAnswered(id, .failure(FetchAnswer.tooLarge))
    }
    fetch.bytes += bytes
    fetches[id] = fetch
    return nil
  }

  /// The whole answer has arrived.
  mutating func finished(_ id: FetchID) -> Event.LinkEvent? {
    guard let fetch = fetches.removeValue(forKey: id) else { return nil }
    do throws(SegueError) {
      return .fetchAnswered(id, try FetchAnswer.decode(fetch.bytes))
    } catch {
      return .fetchAnswered(id, .failure(error))
    }
  }

  /// The channel has ended: because the link did, or by the other device alone.
  mutating func closed(_ id: FetchID, _ error: SegueError?) -> Event.LinkEvent? {
    guard fetches.removeValue(forKey: id) != nil else { return nil }
    return .fetchLost(id, withLink: error?.code == .connectionUnavailable)
  }
}
