import SegueCore

// Files in folders that devices share (semantics R8).

extension Daemon {
  /// No container is known yet, so no file of one can be found here.
  func localize(_ snapshot: Snapshot, _ continuation: RunningContinuation) {
    let file = snapshot.files.first?.path ?? ""
    handle(
      .localizeFailed(
        SegueError(
          .handoffFailed, "\(DisplayText.clean(file)) is in a folder that this device does not share.",
          advice: "Share the folder with this device, then continue again.")),
      continuation)
  }

  func cancelLocalize(_ continuation: RunningContinuation) {}
}
