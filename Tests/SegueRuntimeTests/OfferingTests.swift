import SegueCore
import Testing

@testable import SegueRuntime

@Suite struct OfferingTests {
  private let offline: Offline
  private let offering: Offering

  init() throws {
    offline = try Offline()
    offering = offline.application.offering
  }

  @Test func V11_theApplicationHearsEachContinuationOnce() {
    let activity = offline.activity()
    var heard: [Bool] = []
    activity.delegate.wasContinued = { heard.append($0.wasContinuedInBrowser) }
    let one = Identifier(high: 0, low: 1)
    for _ in 0..<2 { offering.wasContinued(activity, by: one, inBrowser: true) }
    offering.wasContinued(activity, by: Identifier(high: 0, low: 2), inBrowser: false)
    #expect(heard == [true, false])
    #expect(!activity.wasContinuedInBrowser)
  }

  /// What the user has closed while there was no daemon does not come back.
  @Test func C17_soManyEndsAreToldLater() throws {
    var ended: [Identifier] = []
    for _ in 0...Limits.untoldEnds {
      let activity = offline.activity()
      try activity.setEligibleForRestoration(true)
      offline.application.makeCurrent(activity)
      offline.application.invalidate(activity)
      ended.append(activity.id)
    }
    #expect(offering.untoldEnds == Array(ended.dropFirst()))
    // Others leave no state behind.
    let activity = offline.activity()
    offline.application.makeCurrent(activity)
    offline.application.invalidate(activity)
    #expect(offering.untoldEnds.last == ended.last)
  }

  @Test func closingTakesTheDelegateOfWhatMayBeAskedFor() {
    let activity = offline.activity()
    activity.delegate.willSave = { _ in }
    offline.application.makeCurrent(activity)
    offline.application.resign(activity)
    #expect(offering.activity(activity.id) === activity)
    offline.application.close()
    #expect(offering.activity(activity.id) == nil && activity.delegate.willSave == nil)
  }
}
