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
