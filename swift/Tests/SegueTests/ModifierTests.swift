import Testing

@testable import Segue

/// Modifiers.swift, with a view that is shown and hidden by hand.
@MainActor
struct ModifierTests {
  /// A view of no framework: it keeps what is done when it is shown and hidden.
  private struct Text: View {
    var begin: [@MainActor () -> Void] = []
    var end: [@MainActor () -> Void] = []

    func whileShown(begin: @escaping @MainActor () -> Void, end: @escaping @MainActor () -> Void) -> Text {
      Text(begin: self.begin + [begin], end: self.end + [end])
    }
    func show() { for body in begin { body() } }
    func hide() { for body in end { body() } }
  }

  private let application: Application
  private let activities: Activities

  init() throws {
    application = try newApplication("org.segue.test.SwiftModifiers")
    activities = Activities(application)
  }

  @Test func aViewHasItsActivityWhileItIsShown() throws {
    let view = Text().userActivity(type, in: activities) { $0.userInfo["line"] = 3 }
    #expect(application.currentActivity == nil)
    view.show()
    let activity = try #require(application.currentActivity)
    #expect(activity.type == type)
    view.hide()
    #expect(activity.isInvalid && application.currentActivity == nil)
    Text().userActivity(type, isActive: false, in: activities) { _ in }.show()
    #expect(application.currentActivity == nil)
  }

  @Test func activitiesGoToTheViewThatWasShownLast() throws {
    var taken: [String] = []
    let one = Text().onContinueUserActivity(type, in: activities) { _ in taken.append("one") }
    let other = Text().onContinueUserActivity(type, in: activities) { _ in taken.append("other") }
    let activity = try UserActivity(type: type, in: application)
    #expect(try !activities.take(activity))
    one.show()
    other.show()
    #expect(try activities.take(activity))
    other.hide()
    #expect(try activities.take(activity))
    #expect(try !activities.take(try UserActivity(type: "org.segue.test.another", in: application)))
    #expect(taken == ["other", "one"])
  }
}
