import SegueCore

/// Which revision an activity is at, whether it changed since, and what it was made from (semantics C16, V15).
///
/// Only the application changes an activity. Two kinds of writing are no change: the save callbacks put a state into
/// userInfo that the activity had already, and a restoration sets what came with the continued activity.
public struct ActivityHistory: Equatable, Sendable {
  /// The revision of the last snapshot; 0 before the first.
  public private(set) var revision: UInt64 = 0
  /// A snapshot taken now would differ from the last one.
  public private(set) var isChanged = false
  /// The activity that this one was made from, while this one has not changed since.
  public private(set) var continuedFrom: ActivityReference?

  private var isInRound = false
  private var isRestoring = false
  /// The state changed after the save callbacks of this round had begun, so the snapshot may lack the change.
  private var isChangedAgain = false

  public init(continuedFrom: ActivityReference? = nil) { self.continuedFrom = continuedFrom }

  /// An attribute or userInfo changed. Returns whether that changes the offer.
  public mutating func contentChanged(inCallback: Bool) -> Bool {
    guard !(isInRound && inCallback) else { return false }
    return change()
  }

  /// The application said that the state changed (semantics S1, S3). Returns whether that changes the offer.
  public mutating func stateChanged() -> Bool {
    if isInRound, !isRestoring { isChangedAgain = true }
    return change()
  }

  private mutating func change() -> Bool {
    guard !isRestoring else { return false }
    defer {
      isChanged = true
      continuedFrom = nil
    }
    return !isChanged
  }

  public mutating func roundBegan() {
    isInRound = true
    isChangedAgain = false
  }

  public mutating func roundEnded() { isInRound = false }

  public mutating func restoring(_ isRestoring: Bool) { self.isRestoring = isRestoring }

  /// A snapshot is taken. It has a new revision if it differs from the last one.
  public mutating func snapshotTaken() {
    if isChanged || revision == 0 { revision &+= 1 }
    isChanged = isChangedAgain
    isChangedAgain = false
  }

  /// The last snapshot could not be sent: goes back to `before`, the history as it was when the snapshot was taken.
  public mutating func snapshotFailed(_ before: ActivityHistory) {
    if before.isChanged { isChanged = true }
  }
}
