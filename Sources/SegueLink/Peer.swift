import NIOCore
import SegueCore

/// What is known of a paired device.
struct Peer {
  var plan: DialPlan
  var logins = Peer.allowance
  /// The link that is up.
  var current: PeerConnection?
  /// A second one, from the peer, while it is asked whether `current` lives. On the side that chooses.
  var held: PeerConnection?
  var heldTimer: SocketTimer?
  /// The nonce that it accepted a proof with last: while it counts, a dial needs one connection.
  var nonce: [UInt8]?
  /// Something has taken a connection at one of its addresses, since this began to dial it.
  var hasAnswered = false
  /// Until when a link that does not come up is no news: the device was just added here, and its user is about to add
  /// this one there.
  var newUntil: UInt64?

  /// How often a peer may log in. Each login costs a handshake and a descriptor, and a device needs one link.
  static let allowance = Allowance(burst: Limits.loginBurst, interval: Limits.loginInterval)
}
