import SegueCore

/// What an engine is told once: who it decides for, how long things take, and what the user wants.
public struct EngineSettings {
  /// This device, and what people call it.
  public var device: DeviceID
  public var deviceName: String
  /// The run of the machine: moments of another one mean nothing (semantics X9).
  public var boot: String
  public var times: Times
  public var policy: Policy
  /// Whether offers of other devices are shown by notification, and how many in a minute.
  public var showsOffers: Bool
  public var noticesPerMinute: Int
  /// Makes ids of continuations and tickets that nobody can guess.
  public var makeIdentifier: () -> Identifier
  /// What stands for a device in what one application is told (semantics C16).
  public var alias: (DeviceID, AppID) -> String

  public init(
    device: DeviceID, deviceName: String, boot: String, times: Times = Times(), policy: Policy = Policy(),
    showsOffers: Bool = true, noticesPerMinute: Int = Limits.noticesPerMinute,
    makeIdentifier: @escaping () -> Identifier = { .random() },
    alias: @escaping (DeviceID, AppID) -> String = { device, _ in device.description }
  ) {
    self.device = device
    self.deviceName = deviceName
    self.boot = boot
    self.times = times
    self.policy = policy
    self.showsOffers = showsOffers
    self.noticesPerMinute = noticesPerMinute
    self.makeIdentifier = makeIdentifier
    self.alias = alias
  }
}
