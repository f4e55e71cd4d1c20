import NIOCore
import SegueCore

/// The link's knowledge of a paired device.
struct Peer {
  var plan: DialPlan
  var logins = Peer.allowance
  /// The link that is up.
  var current: PeerConnection?
  /// A second connection, from the peer, held while this side checks whether `current` lives. On the side that chooses.
  var held: PeerConnection?
  var heldTimer: SocketTimer?
  /// The nonce with which the peer last accepted a proof: while it is valid, a dial needs only one connection.
  var nonce: [UInt8]?
  /// Whether one of its addresses has accepted a connection since this device began to dial it.
  var hasAnswered = false
  /// Until when a link that does not come up is not logged: the device was just added here, and its user is about to
  /// add this one there.
  var newUntil: UInt64?

  /// How often a peer may log in. Each login costs a handshake and a descriptor, and a device needs one link.
  static let allowance = Allowance(burst: Limits.loginBurst, interval: Limits.loginInterval)
}
