import SegueCore

extension PeerConnection {
  /// Who made the connection, and whom it may lead to.
  enum Origin: Equatable {
    case dialled(DeviceID, LinkAddress)
    /// Dialled since discovery has found it: one of these devices, or none of them.
    case probed(Set<DeviceID>, LinkAddress)
    case accepted(source: String)
  }
}
