import SegueBus
import SegueCore

/// The requested deletions of stored copies that are not over (semantics C13): a part of the application. The daemon
/// keeps the copies, so that it must be there, or come within a bound.
final class Deletions: @unchecked Sendable {
  private final class Deletion {
    /// The persistent identifiers; nil: all copies of the application.
    let ids: [String]?
    var timer: LoopTimer?
    var isSent = false
    let completion: Completion

    init(_ ids: [String]?, _ completion: Completion) {
      self.ids = ids
      self.completion = completion
    }
  }

  private unowned(unsafe) let application: Application
  /// The deletions in the order of their requests.
  private var all: [Deletion] = []

  init(_ application: Application) { self.application = application }

  /// `completion` is called once, in a dispatch or while the application closes: with nil when the copies are deleted
  /// or marked for deletion. If this throws `limitExceeded`, `completion` is not called.
  func begin(_ ids: [String]?, _ completion: @escaping (SegueError?) -> Void) throws(SegueError) {
    guard (ids ?? []).count <= Limits.deletedIdentifiers,
      (ids ?? []).allSatisfy({ $0.utf8.count <= Limits.identifierLength })
    else {
      throw SegueError(
        .limitExceeded,
        "At most \(Limits.deletedIdentifiers) identifiers, of \(Limits.identifierLength) bytes each, go in one call.")
    }
    guard all.count < Limits.pendingCalls else {
      throw SegueError(.limitExceeded, "\(Limits.pendingCalls) deletions are under way.", advice: "Wait for them.")
    }
    let deletion = Deletion(ids, Completion(completion))
    all.append(deletion)
    deletion.timer = application.loop.timer(after: Limits.callTime) { [self] in
      end(deletion, SegueError(.connectionUnavailable, "The Segue daemon could not be reached.", advice: "Try again."))
    }
    application.later { [self] in send() }
  }

  /// Sends the requests that the daemon has not got yet, for instance when the door has opened.
  func send() {
    for deletion in all where !deletion.isSent {
      if let ids = deletion.ids, ids.isEmpty {
        end(deletion, nil)
      } else if let door = application.registration.door {
        deletion.isSent = true
        door.deleteSaved(deletion.ids) { [self] error in end(deletion, error) }
      }
    }
  }

  private func end(_ deletion: Deletion, _ error: SegueError?) {
    all.removeAll { $0 === deletion }
    deletion.timer?.cancel()
    deletion.timer = nil
    deletion.completion.call(error)
  }

  /// Called when the application closes: no answer will come.
  func close() {
    let abandoned = all
    all = []
    for deletion in abandoned { end(deletion, Completion.closing()) }
  }
}
