import SegueCore

/// A paired device and where it may be dialled.
public struct LinkPeer: Hashable, Sendable {
  /// The device.
  public var id: DeviceID
  /// The addresses to dial, tried in turn; empty for a device for which this one only waits.
  public var addresses: [LinkAddress]

  /// A paired device and where it may be dialled.
  public init(id: DeviceID, addresses: [LinkAddress]) {
    self.id = id
    self.addresses = addresses
  }
}

/// An event that a `Link` delivers to its owner, in order, at the end of the loop's turn.
///
/// Every channel ends with exactly one `channelClosed`. A peer's bytes stay charged to its window until the owner calls
/// `Link.consumed` for them, once for each `control`, `channelOpened` and `channelData`.
public enum LinkEvent: Sendable, Equatable {
  /// The device's welcome has arrived: the owner can send to it. `version` is the protocol that both speak.
  case up(DeviceID, name: String, version: UInt16)
  /// The link that has just come up was dialled, or probed, at this address.
  case reached(DeviceID, LinkAddress)
  /// The link that has just come up was dialled by the device.
  case reachedBy(DeviceID)
  /// The device is gone, and so are all bytes that were not yet delivered. Its channels were closed before this event.
  case down(DeviceID, SegueError)
  /// The link has dialled each of the device's addresses, and none has led to a link; dialling continues. Delivered
  /// once after a start, a loss or a change of addresses or network, and at once for a device without addresses.
  /// `isSilent`: no host, the device or another, has ever accepted a connection there.
  case unreached(DeviceID, isSilent: Bool)
  /// The side that was dialled at this address does not know this device: it is the one meant, which has removed it, or
  /// another that has the address now.
  case unknownThere(DeviceID, at: LinkAddress)
  /// The outcome of the probe with this number, delivered once: the paired device that is there, or nil. A link with
  /// that device has its events like any other.
  case probed(UInt64, DeviceID?)
  /// A paired device was reached and cannot be linked with: no common version.
  case refused(DeviceID, SegueError)
  /// A message on the control channel.
  case control(DeviceID, [UInt8])
  /// A device opened a channel with this request.
  case channelOpened(LinkChannel, first: [UInt8])
}
