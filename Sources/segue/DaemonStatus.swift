import SegueBus
import SegueCore

/// How the daemon is doing, and who this device is. Its texts are made fit to be shown on one line.
struct DaemonStatus: Equatable {
  let version: String
  let deviceID: String
  let deviceName: String
  let addresses: [String]
  /// Applications that are connected, and that are installed.
  let connected: UInt32
  let installed: UInt32
  /// Devices that are paired, and that are online.
  let devices: UInt32
  let online: UInt32

  init(_ dictionary: BusDictionary) {
    func text(_ key: String) -> String { DisplayText.clean(dictionary[key]?.asString ?? "") }
    version = text("version")
    deviceID = text("device-id")
    deviceName = text("device-name")
    addresses = (dictionary["addresses"]?.asStrings ?? []).map { DisplayText.clean($0) }
    connected = dictionary["applications"]?.asUInt32 ?? 0
    installed = dictionary["installed"]?.asUInt32 ?? 0
    devices = dictionary["devices"]?.asUInt32 ?? 0
    online = dictionary["online"]?.asUInt32 ?? 0
  }
}
