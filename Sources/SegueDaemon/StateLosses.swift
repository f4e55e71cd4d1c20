import SegueCore
import SegueState

/// The parts of the state directory that are gone. The daemon reports them at the start: otherwise the user would
/// notice only when other devices no longer appear.
struct StateLosses {
  private let hadKey: Bool
  private let pins: PinStore
  private let folder: StateFolder

  /// `hadKey`: whether there was a key before this daemon began.
  init(hadKey: Bool, _ pins: PinStore, in folder: StateFolder) {
    self.hadKey = hadKey
    self.pins = pins
    self.folder = folder
  }

  func tell(_ log: Log) {
    if hadKey, pins.wasMissing {
      log.warning(
        "\(folder.path)/devices is missing, so no device is paired. Restore it from a backup, or pair them anew.",
        cause: "state")
    } else if !hadKey, SavedPort(folder: folder).read() != nil {
      log.warning(
        "\(folder.path)/identity.pem is missing, so this device has a new key: others know it no more. Restore it from "
          + "a backup with the file devices, or pair them anew.", cause: "state")
    }
  }
}
