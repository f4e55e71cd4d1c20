import SegueCore

/// The settings of an engine, which are fixed for its life: the device that it decides for, its timeouts, and what the
/// user wants.
public struct EngineSettings {
  /// This device, and its name for people.
  public var device: DeviceID
  public var deviceName: String
  /// The id of this boot of the machine. A moment that was recorded in another boot has no meaning (semantics X9).
  public var boot: String
  public var times: Times
  public var policy: Policy
  public var discovery: DiscoverySettings
  /// Whether offers of other devices are shown by notification, and how many a minute at most.
  public var showsOffers: Bool
  public var noticesPerMinute: Int
  /// Makes ids of continuations and tickets that nobody can guess.
  public var makeIdentifier: () -> Identifier
  /// The alias of a device that an application gets in place of the device's id (semantics C16).
  public var alias: (DeviceID, AppID) -> String
  /// The cryptography for pairing; nil: this device cannot be paired.
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
