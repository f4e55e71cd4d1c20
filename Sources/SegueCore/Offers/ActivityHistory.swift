/// Which revision an activity is at, whether it changed since, and what it was made from (semantics C16, V15).
///
/// Only the application changes an activity. What the callbacks of a round write is what the activity was already, put
/// into userInfo; and what is set while an activity that was continued is restored is what came with it.
public struct ActivityHistory: Equatable, Sendable {
  /// Of the last snapshot; 0 before the first.
  public private(set) var revision: UInt64 = 0
  /// A snapshot now would be another than the last.
  public private(set) var isChanged = false
  /// What the activity was made from, while it has not changed since.
  public private(set) var continuedFrom: ActivityReference?

  private var isInRound = false
  private var isRestoring = false
  /// The state changed after the callbacks of this round had begun: its snapshot may not have that.
  private var isChangedAgain = false

  public init(continuedFrom: ActivityReference? = nil) { self.continuedFrom = continuedFrom }

  /// An attribute or userInfo changed. True if the offer looks different by it.
  public mutating func contentChanged(inCallback: Bool) -> Bool {
    guard !(isInRound && inCallback) else { return false }
    return change()
  }

  /// The application said that the state changed (semantics S1, S3). True if the offer looks different by it.
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

  /// A snapshot is taken: a new revision if it is another than the last.
  public mutating func snapshotTaken() {
    if isChanged || revision == 0 { revision &+= 1 }
    isChanged = isChangedAgain
    isChangedAgain = false
  }

  /// The snapshot that was taken last, when this was `before`, could not be sent.
  public mutating func snapshotFailed(_ before: ActivityHistory) {
    if before.isChanged { isChanged = true }
  }
}
