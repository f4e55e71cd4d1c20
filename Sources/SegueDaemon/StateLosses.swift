import SegueCore
import SegueState

/// What is gone of the state folder. It is said at the start: it would else be noticed when other devices do not come any
/// more.
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
