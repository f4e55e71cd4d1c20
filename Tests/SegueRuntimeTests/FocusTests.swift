import SegueClient
import SegueCore
import Testing

@testable import SegueRuntime

@Suite struct FocusTests {
  private let offline: Offline
  private let focus: Focus

  init() throws {
    offline = try Offline()
    focus = offline.application.focus
  }

  @Test func C9_theFormerOneIsInactiveAndMayBeAskedFor() {
    let (first, second) = (offline.activity(), offline.activity())
    focus.makeCurrent(first)
    focus.makeCurrent(second)
    #expect(focus.activity === second && second.isCurrent && !first.isCurrent)
    #expect(!first.isInvalid)
    #expect(offline.application.offering.has(first) && offline.application.offering.has(second))
  }

  @Test func C10_resignedIsNotInvalid() {
    let activity = offline.activity()
    focus.makeCurrent(activity)
    focus.resign(activity)
    #expect(focus.activity == nil && !activity.isCurrent && !activity.isInvalid)
    #expect(offline.application.offering.has(activity))
    focus.makeCurrent(activity)
    focus.invalidate(activity)
    focus.makeCurrent(activity)
    #expect(focus.activity == nil && activity.isInvalid)
    #expect(!offline.application.offering.has(activity))
  }

  @Test func R4_theLastResponderEndsItsActivity() throws {
    let activity = offline.activity()
    let one = offline.responder()
    let other = offline.responder()
    try one.setUserActivity(activity)
    try other.setUserActivity(activity)
    #expect(focus.activity === activity)
    try one.setUserActivity(nil)
    #expect(!activity.isInvalid && activity.responders.count == 1)
    focus.gone(other)
    #expect(focus.responder(other.number) == nil)
    try other.setUserActivity(nil)
    #expect(activity.isInvalid && focus.activity == nil)
  }

  @Test func R6_theMainWindowsFocusIsCurrent() throws {
    let (first, second) = (offline.activity(), offline.activity())
    let window = offline.window()
    let one = offline.responder()
    let other = offline.responder()
    try one.setUserActivity(first)
    try other.setUserActivity(second)
    #expect(focus.activity === second)
    try one.setNext(other)
    #expect(one.next === other)
    window.setFocused(one)
    offline.application.setMainWindow(window)
    #expect(focus.activity === first)
    #expect(focus.explained.reason == .focus(one.number, steps: 0))
    #expect(throws: ChainError.loop) { try focus.link(other, to: one) }
    focus.gone(window)
    #expect(focus.window(window.number) == nil)
    #expect(focus.activity === second)
  }

  @Test func V9_aWindowIsChosenForATarget() throws {
    let activity = offline.activity()
    #expect(focus.chooseWindow(for: activity) == nil)
    try activity.setTargetContentIdentifier("page 7")
    var methods = WindowMethods()
    methods.canShowContent = { _, _ in false }
    _ = offline.window(methods)
    #expect(focus.chooseWindow(for: activity) == nil)
    let willing = offline.window()
    #expect(focus.chooseWindow(for: activity) === willing)
    // The method that is called may close the application.
    methods.canShowContent = { window, _ in
      window.application.close()
      return true
    }
    let last = offline.window(methods)
    offline.application.setMainWindow(last)
    #expect(focus.chooseWindow(for: activity) == nil)
  }
}
