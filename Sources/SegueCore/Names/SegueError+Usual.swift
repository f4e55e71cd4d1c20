extension SegueError.Code {
  /// The text that holds for every error of this code; an error with more details has text of its own.
  var usual: (message: String, advice: String) {
    switch self {
    case .handoffFailed:
      ("The activity's data was not available.", "Check whether it is still open where it was, then continue again.")
    case .connectionUnavailable:
      (
        "The other side cannot be reached.",
        "Check that the other device is on and in reach, and with `segue status` that Segue runs; then try again."
      )
    case .remoteApplicationTimedOut:
      (
        "The application on the other device did not answer in time.",
        "Check there whether it is waiting for something, then continue again."
      )
    case .handoffUserInfoTooLarge:
      ("The activity's state is too large.", "Its application should keep in userInfo only what finds the state again.")
    case .userCancelled:
      ("Something else was chosen.", "Do it again if it is still wanted.")
    case .invalidArgument:
      ("What was given is malformed.", "Correct it, then try again: its documentation says what is accepted.")
    case .notFound:
      ("It does not exist, or no longer does.", "See what there is now: it may have ended, or have another name.")
    case .invalidated:
      ("It has ended.", "Make a new one: what has ended does not come back.")
    case .accessDenied:
      ("This is not allowed.", "See docs/security.md for who may do what, and `segue explain` for what is withheld.")
    case .limitExceeded:
      ("A limit was reached.", "Do it with less, or end something first: docs/limits.md has every limit.")
    case .noApplication:
      ("No application on this device can continue the activity.", "`segue explain` says what is lacking.")
    case .launchFailed:
      ("The application could not be launched.", "Start it by hand to see why; `segue app check` judges its files.")
    case .launchTimedOut:
      ("The application was launched, and did not become ready.", "See what it is waiting for, then continue again.")
    case .applicationExited:
      ("The application has ended.", "Start it again, then do again what was under way.")
    case .nameTaken:
      ("Another process has the name.", "Use that one, or end it first.")
    case .versionMismatch:
      ("The two sides have no version in common.", "Update the older one.")
    case .protocolViolation:
      (
        "The other side broke the protocol.",
        "Update both sides; if that does not help, it is a mistake to be reported to those who made the other one."
      )
    case .system:
      (
        "The operating system refused.",
        "See whether memory, descriptors, room on the disk or a permission is lacking, then try again."
      )
    case .notHandled:
      ("The application did not take the activity.", "Open in it by hand what was to be continued.")
    case .pluginFailed:
      ("The plugin does not work.", "See what is wrong with it: segue plugin check")
    case .wrongThread:
      (
        "The application belongs to another thread.",
        "Call it on the thread that made it; segue_application_wake helps."
      )
    case .afterFork:
      ("An application cannot be used after fork.", "Make one in the child, or start another program.")
    case .closed:
      ("The application is closed.", "Make another one, or keep a reference to it for longer.")
    default:
      ("Something failed in a way that this version does not know.", "Update Segue on this device.")
    }
  }
}
