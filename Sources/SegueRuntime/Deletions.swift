import SegueBus
import SegueCore

// Deleting stored copies (semantics C13): the daemon keeps them, so that it must be there, or come within a bound.

/// A deletion that was asked for and is not over.
final class Deletion {
  /// Nil: all of the application's.
  fileprivate let ids: [String]?
  fileprivate var timer: LoopTimer?
  fileprivate var isSent = false
  private var completion: ((SegueError?) -> Void)?

  fileprivate init(_ ids: [String]?, _ completion: @escaping (SegueError?) -> Void) {
    self.ids = ids
    self.completion = completion
  }

  /// Calls the completion, the first time.
  fileprivate func end(_ error: SegueError?) {
    timer?.cancel()
    timer = nil
    let completion = completion
    self.completion = nil
    completion?(error)
  }
}

extension Application {
  /// Deletes stored copies by their persistent identifiers, or all of this application's. `completion` is called once,
  /// in a dispatch or while the application closes: with nil when they are deleted or marked for deletion. Throws
  /// `limitExceeded`, and `completion` is not called.
  public func deleteSaved(_ ids: [String]?, _ completion: @escaping (SegueError?) -> Void) throws(SegueError) {
    guard (ids ?? []).count <= Limits.deletedIdentifiers,
      (ids ?? []).allSatisfy({ $0.utf8.count <= Limits.identifierLength })
    else {
      throw SegueError(
        .limitExceeded,
        "At most \(Limits.deletedIdentifiers) identifiers, of \(Limits.identifierLength) bytes each, go in one call.")
    }
    guard deletions.count < Limits.pendingCalls else {
      throw SegueError(.limitExceeded, "\(Limits.pendingCalls) deletions are under way.", advice: "Wait for them.")
    }
    let deletion = Deletion(ids, completion)
    deletions.append(deletion)
    deletion.timer = loop.timer(after: Limits.callTime) { [self] in
      end(deletion, SegueError(.connectionUnavailable, "The Segue daemon could not be reached.", advice: "Try again."))
    }
    later { [self] in sendDeletions() }
  }

  /// The door may have opened.
  func sendDeletions() {
    for deletion in deletions where !deletion.isSent {
      if let ids = deletion.ids, ids.isEmpty {
        end(deletion, nil)
      } else if let door {
        deletion.isSent = true
        door.deleteSaved(deletion.ids) { [self] error in end(deletion, error) }
      }
    }
  }

  private func end(_ deletion: Deletion, _ error: SegueError?) {
    deletions.removeAll { $0 === deletion }
    deletion.end(error)
  }

  /// The application closes: nobody will answer.
  func abandonDeletions() {
    let abandoned = deletions
    deletions = []
    let error = SegueError(.connectionUnavailable, "The application closed before the Segue daemon had answered.")
    for deletion in abandoned { deletion.end(error) }
  }
}
