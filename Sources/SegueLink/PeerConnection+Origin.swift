import SegueCore

extension PeerConnection {
  /// The side that made the connection, and the devices to which it may lead.
  enum Origin: Equatable {
    case dialled(DeviceID, LinkAddress)
    /// This side dialled a device that discovery has found: one of these, or none of them.
    case probed(Set<DeviceID>, LinkAddress)
    case accepted(source: String)
  }
}
