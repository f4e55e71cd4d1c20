/// How the daemon is doing, and who this device is: GetStatus.
public struct DaemonStatus: ControlValue {
  public var version = ""
  public var deviceID = ""
  public var deviceName = ""
  /// The addresses at which other devices can dial this one.
  public var addresses: [String] = []
  /// How many applications are connected, and how many are installed.
  public var connected: UInt32 = 0
  public var installed: UInt32 = 0
  /// How many devices are paired, and how many are online.
  public var devices: UInt32 = 0
  public var online: UInt32 = 0
  /// Whether devices find each other in the network: "on", "off", "no-network" or "unavailable".
  public var discovery = ""
  /// Why devices do not find each other, and what to do about it; empty where there is no problem.
  public var discoveryProblem = ""
  public var paired: [DeviceRow] = []
  /// How many introductions wait for the user's decision.
  public var introductions: UInt32 = 0
  /// Whether the desktop hands the links that the user follows to `segue open`.
  public var opensLinks = false

  /// Whether nothing is shared now, in which case this is until `pausedUntil` (seconds since 1970), while this device is
  /// in the present network, or else until the user resumes.
  public var isPaused = false
  public var pausedUntil: UInt64?
  public var isPausedHere = false
  /// The applications whose activities go to no device, and the ids of the devices that get none.
  public var withheld: [String] = []
  public var withheldFrom: [String] = []

  /// Further facts for the user, in sentences.
  public var notes: [String] = []

  public init() {}

  public mutating func carry(_ fields: inout ControlFields) {
    fields("version", &version)
    fields("device-id", &deviceID)
    fields("device-name", &deviceName)
    fields("addresses", &addresses)
    fields("applications", &connected)
    fields("installed", &installed)
    fields("devices", &devices)
    fields("online", &online)
    fields("discovery", &discovery)
    fields("discovery-problem", &discoveryProblem)
    fields("paired", &paired)
    fields("introductions", &introductions)
    fields("links", &opensLinks)
    fields("paused", &isPaused)
    fields("paused-until", &pausedUntil)
    fields("paused-here", &isPausedHere)
    fields("withheld", &withheld)
    fields("withheld-from", &withheldFrom)
    fields("notes", &notes)
  }
}

/// The identity of a device, as another device needs it for pairing.
public struct DeviceIdentity: ControlValue {
  public var deviceID = ""
  public var deviceName = ""
  public var addresses: [String] = []

  public init() {}

  public init(_ status: DaemonStatus) {
    (deviceID, deviceName, addresses) = (status.deviceID, status.deviceName, status.addresses)
  }

  public mutating func carry(_ fields: inout ControlFields) {
    fields("device-id", &deviceID)
    fields("device-name", &deviceName)
    fields("addresses", &addresses)
  }
}
