import SegueCore

/// Names another device's offer. The device is part of the name, since a device may lie about ids of activities
/// (semantics C16): two offers with the same activity's id are two offers.
public struct OfferID: Hashable, Sendable {
  public var device: DeviceID
  public var activity: Identifier

  public init(device: DeviceID, activity: Identifier) {
    self.device = device
    self.activity = activity
  }
}
