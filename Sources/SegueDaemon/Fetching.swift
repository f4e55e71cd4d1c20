import SegueBus
import SegueCore
import SegueLink

// A continuation's payload: fetched from the origin over a channel of its own, whole and checked.

/// A fetch from another device that is under way.
struct OutgoingFetch {
  let continuation: Identifier
  /// Nobody has chosen it: it is to be kept (semantics X7).
  var keeping: KeepPlan.Item?
  var bytes: [UInt8] = []
}

extension Daemon {
  func fetch(_ continuation: RunningContinuation) {
    switch continuation.source {
    case .device(let device): fetch(continuation, from: device)
    case .kept(let key): fetch(continuation, from: key)
    case .here: fetchHere(continuation)
    }
  }

  private func fetch(_ continuation: RunningContinuation, from device: DeviceID) {
    guard let link, online[device] != nil else {
      return handle(.unreachable(Self.unreachable(name(of: device))), continuation)
    }
    do throws(SegueError) {
      let request = FetchRequest(
        continuation: continuation.id, activity: continuation.offer.id, appID: continuation.application.appID,
        version: continuation.application.version(of: continuation.offer))
      let channel = link.openChannel(to: device, first: try request.encode())
      link.finish(channel)
      continuation.channel = channel
      fetches[channel] = OutgoingFetch(continuation: continuation.id)
    } catch {
      handle(.fetchFailed(error), continuation)
    }
  }

  private static func unreachable(_ device: String) -> SegueError {
    SegueError(
      .connectionUnavailable, "\(device) cannot be reached.", advice: "Check that it is on and in the same network.")
  }

  func cancelFetch(_ continuation: RunningContinuation) {
    if continuation.source == .here { return save(.abandoned(.continuation(continuation.id))) }
    guard let channel = continuation.channel else { return }
    fetches[channel] = nil
    continuation.channel = nil
    link?.reset(channel, .userCancelled)
  }

  func fetchData(_ channel: ChannelID, _ bytes: [UInt8]) {
    guard var fetch = fetches.removeValue(forKey: channel) else { return }
    guard fetch.bytes.count + bytes.count <= FetchAnswer.maximum else {
      link?.reset(channel, .handoffUserInfoTooLarge)
      return fetchEnded(fetch, .failure(SegueError(.handoffUserInfoTooLarge, "The activity's state is too large.")))
    }
    fetch.bytes += bytes
    fetches[channel] = fetch
  }

  func fetchFinished(_ channel: ChannelID) {
    guard let fetch = fetches.removeValue(forKey: channel) else { return }
    do throws(SegueError) {
      fetchEnded(fetch, try FetchAnswer.decode(fetch.bytes))
    } catch {
      fetchEnded(fetch, .failure(error))
    }
  }

  func fetchClosed(_ channel: ChannelID, _ error: SegueError?) {
    guard let fetch = fetches.removeValue(forKey: channel) else { return }
    let lost = SegueError(
      .connectionUnavailable, "The connection to the other device was lost while the activity was on its way.",
      advice: "Check that it is on and in reach, then continue again.")
    // With the link it is lost until the next one; ended by the other device alone, it is lost for good.
    guard error?.code == .connectionUnavailable, let continuation = continuations[fetch.continuation] else {
      return fetchEnded(fetch, .failure(lost))
    }
    continuation.channel = nil
    handle(.unreachable(lost), continuation)
  }

  /// There is a link to the device again: what waited for it goes on (semantics X9).
  func fetchAgain(from device: DeviceID) {
    for continuation in continuations.values where continuation.source == .device(device) {
      handle(.linkUp, continuation)
    }
  }

  /// The answer of an application of this device: it is checked as one of another device's is.
  func fetchedHere(_ continuation: Identifier, _ answer: FetchAnswer) {
    let fetch = OutgoingFetch(continuation: continuation)
    do throws(SegueError) {
      fetchEnded(fetch, try FetchAnswer.decode(try answer.encode()))
    } catch {
      fetchEnded(fetch, .failure(error))
    }
  }

  private func fetchEnded(_ fetch: OutgoingFetch, _ answer: FetchAnswer) {
    if let item = fetch.keeping { return kept(item, answer) }
    guard let continuation = continuations[fetch.continuation] else { return }
    continuation.channel = nil
    switch answer {
    case .snapshot(let snapshot):
      guard snapshot.id == continuation.offer.id, snapshot.type == continuation.offer.type else {
        return handle(
          .fetchFailed(SegueError(.protocolViolation, "The other device sent another activity.")), continuation)
      }
      continuation.fetched(snapshot)
      handle(.fetched(snapshot), continuation)
    case .failure(let error):
      // Only this device's user cancels; else a peer could keep a failure from being shown.
      let isCancelled = error.code == .userCancelled
      handle(
        .fetchFailed(
          isCancelled ? SegueError(.handoffFailed, error.message, advice: error.advice) : error), continuation)
    }
  }

  /// The origin's application hears that it was continued (semantics V11).
  func tellOrigin(_ continuation: RunningContinuation) {
    if case .here = continuation.source {
      tellApplication(continuation.offer.appID)
    } else if let device = continuation.source.device {
      tellUntold(device)
    }
  }
}
