import SegueBus
import SegueCore
import SegueLink

// A continuation's payload: fetched from the origin over a channel of its own, whole and checked.

/// A fetch from another device that is under way.
struct OutgoingFetch {
  let continuation: Identifier
  /// Nobody has chosen it: it is to be kept (semantics X7).
  var keeping: KeepPlan.Item?
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
    guard link.online[device] != nil else {
      return handle(.unreachable(Self.unreachable(name(of: device))), continuation)
    }
    let request = FetchRequest(
      continuation: continuation.id, activity: continuation.offer.id, appID: continuation.application.appID,
      version: continuation.application.version(of: continuation.offer))
    continuation.fetch = send(request, to: device, OutgoingFetch(continuation: continuation.id))
  }

  /// Sends the request for a fetch; its number.
  func send(_ request: FetchRequest, to device: DeviceID, _ fetch: OutgoingFetch) -> UInt64 {
    fetchCount += 1
    fetches[fetchCount] = fetch
    link.fetch(fetchCount, request, from: device)
    return fetchCount
  }

  private static func unreachable(_ device: String) -> SegueError {
    SegueError(
      .connectionUnavailable, "\(device) cannot be reached.", advice: "Check that it is on and in the same network.")
  }

  func cancelFetch(_ continuation: RunningContinuation) {
    if continuation.source == .here { return save(.abandoned(.continuation(continuation.id))) }
    guard let fetch = continuation.fetch else { return }
    continuation.fetch = nil
    fetches[fetch] = nil
    link.cancelFetch(fetch)
  }

  func fetchLost(_ fetch: OutgoingFetch, withLink: Bool) {
    let lost = SegueError(
      .connectionUnavailable, "The connection to the other device was lost while the activity was on its way.",
      advice: "Check that it is on and in reach, then continue again.")
    // With the link it is lost until the next one; ended by the other device alone, it is lost for good.
    guard withLink, let continuation = continuations[fetch.continuation] else {
      return fetchEnded(fetch, .failure(lost))
    }
    continuation.fetch = nil
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

  func fetchEnded(_ fetch: OutgoingFetch, _ answer: FetchAnswer) {
    if let item = fetch.keeping { return kept(item, answer) }
    guard let continuation = continuations[fetch.continuation] else { return }
    continuation.fetch = nil
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
