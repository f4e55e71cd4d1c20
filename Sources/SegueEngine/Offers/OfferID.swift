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

  /// Reads what `text` says; nil if it is not of that form.
  public init?(text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 2, let device = String(parts[0]).flatMap({ DeviceID(recorded: $0) }),
      let activity = String(parts[1]).flatMap({ Identifier(hex: $0) })
    else { return nil }
    self.init(device: device, activity: activity)
  }

  /// The device's id and the activity's, with a colon between them: the name by which a surface of the desktop knows
  /// the offer.
  public var text: String { "\(device):\(activity.hex)" }
}
