import SegueCore

/// What an engine is told once: which device it decides for, how long it waits for what, and what the user wants.
public struct EngineSettings {
  /// This device, and what people call it.
  public var device: DeviceID
  public var deviceName: String
  /// Names this run of the machine. A moment that was recorded in another run means nothing (semantics X9).
  public var boot: String
  public var times: Times
  public var policy: Policy
  public var discovery: DiscoverySettings
  /// Whether offers of other devices are shown by notification, and how many in a minute at most.
  public var showsOffers: Bool
  public var noticesPerMinute: Int
  /// Makes ids of continuations and tickets that nobody can guess.
  public var makeIdentifier: () -> Identifier
  /// The alias of a device that one application is told in place of its id (semantics C16).
  public var alias: (DeviceID, AppID) -> String
  /// What devices are paired with; nil: this device cannot be paired.
  public var crypto: (any PairingCrypto & Sendable)?

  public init(
    device: DeviceID, deviceName: String, boot: String, times: Times = Times(), policy: Policy = Policy(),
    discovery: DiscoverySettings = DiscoverySettings(),
    showsOffers: Bool = true, noticesPerMinute: Int = Limits.noticesPerMinute,
    makeIdentifier: @escaping () -> Identifier = { .random() },
    alias: @escaping (DeviceID, AppID) -> String = { device, _ in device.description },
    crypto: (any PairingCrypto & Sendable)? = nil
  ) {
    self.device = device
    self.deviceName = deviceName
    self.boot = boot
    self.times = times
    self.policy = policy
    self.discovery = discovery
    self.showsOffers = showsOffers
    self.noticesPerMinute = noticesPerMinute
    self.makeIdentifier = makeIdentifier
    self.alias = alias
    self.crypto = crypto
  }
}
