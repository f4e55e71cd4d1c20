import SegueClient
import SegueCore
import Testing

@Suite struct ActivityHistoryTests {
  private let origin = ActivityReference(id: Identifier(high: 0, low: 7), revision: 3)

  /// The events of a history, each in a word.
  private enum Step {
    case content, callbackContent, state, roundBegan, roundEnded, snapshot, restoring, restored
  }

  private func history(_ steps: [Step], from: ActivityReference? = nil) -> ActivityHistory {
    var history = ActivityHistory(continuedFrom: from)
    for step in steps {
      switch step {
      case .content: _ = history.contentChanged(inCallback: false)
      case .callbackContent: _ = history.contentChanged(inCallback: true)
      case .state: _ = history.stateChanged()
      case .roundBegan: history.roundBegan()
      case .roundEnded: history.roundEnded()
      case .snapshot: history.snapshotTaken()
      case .restoring: history.restoring(true)
      case .restored: history.restoring(false)
      }
    }
    return history
  }

  @Test func C16_theFirstSnapshotIsARevision() {
    #expect(history([]).revision == 0)
    #expect(history([.snapshot]).revision == 1)
  }

  @Test(arguments: [
    ([Step.snapshot, .snapshot], 1), ([.snapshot, .content, .snapshot], 2), ([.snapshot, .state, .snapshot], 2),
    ([.snapshot, .content, .content, .state, .snapshot, .snapshot], 2),
  ])
  private func C16_theRevisionGrowsOnlyWithWhatChanged(_ steps: [Step], _ revision: Int) {
    #expect(history(steps).revision == UInt64(revision))
    #expect(!history(steps).isChanged)
  }

  @Test func S3_whatChangesInARoundMayNotBeInItsSnapshot() {
    let changed = history([.snapshot, .state, .roundBegan, .state, .roundEnded, .snapshot])
    #expect(changed.revision == 2)
    #expect(changed.isChanged)
    #expect(history([.state, .roundBegan, .state, .roundEnded, .snapshot, .snapshot]).revision == 2)
    // A round without a snapshot, and a snapshot later, which has it.
    #expect(!history([.roundBegan, .state, .roundEnded, .roundBegan, .roundEnded, .snapshot]).isChanged)
  }

  @Test func V15_whatCallbacksWriteIsNoChange() {
    let saved = history([.roundBegan, .callbackContent, .roundEnded, .snapshot], from: origin)
    #expect(!saved.isChanged)
    #expect(saved.continuedFrom == origin)
    // Another thread's setter is the application's own.
    #expect(history([.snapshot, .roundBegan, .content, .roundEnded]).isChanged)
    // Outside of a round so is a callback's thread.
    #expect(history([.snapshot, .callbackContent]).isChanged)
  }

  @Test func V15_restoringIsNoChange() {
    let restored = history(
      [.restoring, .content, .state, .roundBegan, .state, .roundEnded, .snapshot, .restored], from: origin)
    #expect(!restored.isChanged)
    #expect(restored.continuedFrom == origin)
    #expect(restored.revision == 1)
  }

  @Test func V15_theFirstChangeMakesItTheApplicationsOwn() {
    #expect(history([], from: origin).continuedFrom == origin)
    #expect(history([.state], from: origin).continuedFrom == nil)
    #expect(history([.content], from: origin).continuedFrom == nil)
    #expect(history([.snapshot, .snapshot], from: origin).continuedFrom == origin)
  }

  @Test func V15_onlyTheFirstChangeAfterASnapshotIsSeenInTheOffer() {
    var history = ActivityHistory(continuedFrom: origin)
    let seen = [history.stateChanged(), history.contentChanged(inCallback: false), history.stateChanged()]
    #expect(seen == [true, false, false])
    history.snapshotTaken()
    let again = [history.contentChanged(inCallback: false), history.stateChanged()]
    #expect(again == [true, false])
  }

  @Test func E2_aSnapshotThatFailedLeavesTheChange() {
    var history = ActivityHistory()
    _ = history.stateChanged()
    let before = history
    history.snapshotTaken()
    history.snapshotFailed(before)
    #expect(history.isChanged)
    #expect(history.revision == 1)
    var unchanged = self.history([.snapshot])
    let same = unchanged
    unchanged.snapshotTaken()
    unchanged.snapshotFailed(same)
    #expect(unchanged == same)
  }
}
