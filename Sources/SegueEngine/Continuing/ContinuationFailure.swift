import SegueCore

/// Why a continuation ends without success, as its user reads it.
enum ContinuationFailure {
  static let over = SegueError(
    .notFound, "This continuation is over, or its ticket was used before.", advice: "Continue again.")
  static let stopped = SegueError(.userCancelled, "It was cancelled.", advice: "It is still on offer.")
  static let cancelled = SegueError(.userCancelled, "Something else was chosen.")
  static let fetchTimedOut = SegueError(
    .connectionUnavailable, "The other device did not send the activity in time.",
    advice: "Check that it is on and in reach, then try again.")
  static let launchTimedOut = SegueError(
    .launchTimedOut, "The application did not start in time.",
    advice: "Try again; if it happens each time, start the application by hand and look at what it prints.")
  static let claimTimedOut = SegueError(.handoffFailed, "The activity did not arrive in time.")
  static let finishTimedOut = SegueError(
    .notHandled, "The application did not finish restoring the activity in time.")
  static func finishTimedOut(in plugin: PluginID) -> SegueError {
    SegueError(
      .notHandled,
      "The application did not finish restoring the activity in time: its plugin \(plugin.string) does not return.",
      advice: check(plugin))
  }
  static let exited = SegueError(
    .applicationExited, "The application ended before it had restored the activity.", advice: "Try again.")
  static func exited(in plugin: PluginID) -> SegueError {
    SegueError(
      .applicationExited,
      "The application ended before it had restored the activity, in its plugin \(plugin.string).",
      advice: check(plugin))
  }
  private static func check(_ plugin: PluginID) -> String {
    "Try again; if it happens each time, see what is wrong with it: segue plugin check \(plugin.string)"
  }
  static let documentElsewhere = SegueError(
    .notHandled, "The document is not on this device: its file is in no folder that both devices share.",
    advice: "Put it into a shared folder on the other device, then continue again.")
  static let notHandled = SegueError(
    .notHandled, "The application could not restore the activity.")
}
