import Segue

/// The last of the objects that restore: it says that the others have.
@MainActor
final class Restored: RestorableObject {
  private let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }

  func updateUserActivityState(_ activity: UserActivity) {}
  func restoreUserActivityState(_ activity: UserActivity) { body() }
}
