import NIOCore
import SegueCore

/// What is known of a paired device.
struct Peer {
  var plan: DialPlan
  var logins: Logins
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
}
