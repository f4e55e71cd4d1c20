import Segue

// `.userActivity` and `.onContinueUserActivity` as modifiers for a declarative framework: docs/swift.md. The file depends on no
// framework. `View` stands for the framework's own; in its place comes an extension of that, and `Activities` goes into the
// framework's environment.

/// A view of the framework's: it can be told when it comes onto the screen, and when it leaves.
@MainActor
protocol View {
  associatedtype Modified: View
  func whileShown(begin: @escaping @MainActor () -> Void, end: @escaping @MainActor () -> Void) -> Modified
}

extension View {
  /// The view has this activity as long as it is shown. `update` writes the state when somebody asks for it.
  func userActivity(
    _ type: String, isActive: Bool = true, in activities: Activities,
    _ update: @escaping @MainActor (UserActivity) throws -> Void
  ) -> Modified {
    let part = Part(update)
    return whileShown {
      if isActive { activities.show(part, type) }
    } end: {
      // The activity's last responder: it is invalidated.
      part.userActivity = nil
    }
  }

  /// Activities of this type go on in the view, as long as it is shown. The view that was shown last gets them.
  func onContinueUserActivity(
    _ type: String, in activities: Activities, perform: @escaping @MainActor (UserActivity) throws -> Void
  ) -> Modified {
    let taker = Activities.Taker(type, perform)
    return whileShown {
      activities.add(taker)
    } end: {
      activities.remove(taker)
    }
  }
}

/// The activities of an application, for all of its views.
@MainActor
final class Activities {
  /// A view that takes activities.
  final class Taker {
    let type: String
    let perform: @MainActor (UserActivity) throws -> Void

    init(_ type: String, _ perform: @escaping @MainActor (UserActivity) throws -> Void) {
      self.type = type
      self.perform = perform
    }
  }

  private let application: Application
  private var takers: [Taker] = []

  init(_ application: Application) {
    self.application = application
    application.onContinue = { [unowned self] activity, _ in try take(activity) }
  }

  /// False where no view takes activities of that type.
  func take(_ activity: UserActivity) throws -> Bool {
    guard let taker = takers.last(where: { $0.type == activity.type }) else { return false }
    try taker.perform(activity)
    return true
  }

  fileprivate func show(_ part: Part, _ type: String) {
    do {
      part.userActivity = try UserActivity(type: type, in: application)
    } catch {
      application.onLog?("\(type): \(error)")
    }
  }

  fileprivate func add(_ taker: Taker) { takers.append(taker) }
  fileprivate func remove(_ taker: Taker) { takers.removeAll { $0 === taker } }
}

/// A view's part in its activity.
@MainActor
private final class Part: Responder {
  let responderState = ResponderState()
  private let update: @MainActor (UserActivity) throws -> Void

  init(_ update: @escaping @MainActor (UserActivity) throws -> Void) { self.update = update }

  func updateUserActivityState(_ activity: UserActivity) throws { try update(activity) }
  func restoreUserActivityState(_ activity: UserActivity) {}
}
