import Segue

/// The list of lines: its part of the state is which one is selected.
@MainActor
final class OutlineView: Responder {
  let responderState = ResponderState()
  var selection = 0 { didSet { setNeedsSave() } }

  func updateUserActivityState(_ activity: UserActivity) { activity.userInfo["selection"] = .integer(Int64(selection)) }

  func restoreUserActivityState(_ activity: UserActivity) { selection = activity.userInfo["selection"]?.int ?? 0 }
}
