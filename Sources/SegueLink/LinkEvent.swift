import SegueCore

/// A paired device and where it may be dialled.
public struct LinkPeer: Hashable, Sendable {
  /// The device.
  public var id: DeviceID
  /// Where it may be found, tried in turn; empty for a device that is only waited for.
  public var addresses: [LinkAddress]

  /// A paired device and where it may be dialled.
  public init(id: DeviceID, addresses: [LinkAddress]) {
    self.id = id
    self.addresses = addresses
  }
}

/// The events that a `Link` tells its owner, in order, at the end of the loop's turn. Its channels and its pairing port tell their
/// own owners, in the same order.
///
/// Bytes that a peer sent stay charged to its window until the owner calls `Link.consumed` for them, once for each `control` and
/// `channelOpened`.
public enum LinkEvent: Sendable, Equatable {
  /// The device's welcome has arrived: it can be sent to. `version` is the protocol that both speak.
  case up(DeviceID, name: String, version: UInt16)
  /// The link that has just come up was dialled, or probed, at this address.
  case reached(DeviceID, LinkAddress)
  /// The link that has just come up was dialled by the device.
  case reachedBy(DeviceID)
  /// The device is gone, and so is all that was not yet delivered. Its channels were closed before this event.
  case down(DeviceID, SegueError)
  /// The device was dialled at each of its addresses, and none has led to a link; it is dialled on. Said once after a
  /// start, a loss or a change of addresses or network, and at once of a device without addresses. `isSilent`: nothing has
  /// ever taken a connection there, the device or not.
  case unreached(DeviceID, isSilent: Bool)
  /// The side that was dialled at this address does not know this device: it is the one meant, which has removed it, or
  /// another that has the address now.
  case unknownThere(DeviceID, at: LinkAddress)
  /// What a probe with this number has come to, said once: the paired device that is there, or nil. A link with it is told
  /// of as any other.
  case probed(UInt64, DeviceID?)
  /// A paired device was reached and cannot be linked with: no common version.
  case refused(DeviceID, SegueError)
  /// A message on the control channel.
  case control(DeviceID, [UInt8])
  /// A device opened a channel with this request.
  case channelOpened(LinkChannel, first: [UInt8])
}
