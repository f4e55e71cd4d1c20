import NIOCore
import SegueCore

/// Credit of one channel's two directions: the bytes that may still be sent, and those received and not yet consumed.
///
/// A frame costs its payload and a little more, so that a flood of tiny frames runs out of credit like a flood of
/// bytes: each one costs the receiver memory of its own.
///
/// A window grows while its owner consumes nearly all bytes that have come: then the sender waits for the window, over
/// a long path or a fast one. An owner that does not keep up has no use for more, so that the unread bytes stay few.
///
/// Where a quota paces what is consumed, a sender that may be short of credit gets it back in small portions: half a
/// window would take as long as the quota needs for all of it.
struct Flow {
  static let overhead = 32
  /// A window below this could never let a full frame pass.
  static let leastWindow = Limits.frameLength + overhead

  private var window: Int
  private let windowMost: Int
  /// Whether the owner consumes no faster than a quota.
  private let isPaced: Bool
  /// The cost of the frames that may still be sent.
  private(set) var credit: Int
  /// The cost of received frames that the owner has not consumed.
  private(set) var outstanding = 0
  /// The cost of consumed frames for which the sender has not got its credit back yet.
  private var unreturned = 0

  static func cost(_ count: Int) -> Int { count &+ overhead }

  /// `windowMost`: the size to which the window grows; it does not grow if this is no more than `window`.
  init(window: Int, windowMost: Int = 0, isPaced: Bool = false, peerWindow: Int) {
    self.window = max(window, Self.leastWindow)
    self.windowMost = max(windowMost, self.window)
    self.isPaced = isPaced
    credit = min(peerWindow, Limits.channelCredit)
  }

  mutating func sent(_ count: Int) { credit -= Self.cost(count) }

  /// Charges a received frame. Throws if the sender had no credit for it.
  mutating func received(_ count: Int) throws(SegueError) {
    guard outstanding + unreturned + Self.cost(count) <= window else {
      throw SegueError(.protocolViolation, "More was sent than the window allows.")
    }
    outstanding += Self.cost(count)
  }

  /// Notes that the owner is done with `count` received bytes, once for each frame. Returns the credit to grant the
  /// sender now: not every small step, but half a window at the latest, and early enough that a full frame can always
  /// be sent when all is consumed.
  mutating func consumed(_ count: Int) -> UInt32? {
    guard count >= 0, count <= Limits.frameLength else { return nil }
    let cost = min(Self.cost(count), outstanding)
    outstanding -= cost
    unreturned += cost
    // The longest frame may not fit into what the sender has left.
    let isShort = window - outstanding - unreturned < Self.leastWindow
    let usual = min(window / 2, max(1, window - Self.leastWindow))
    guard unreturned >= (isPaced && isShort ? min(usual, Limits.pacedCredit) : usual) else { return nil }
    let growth = outstanding <= window / 4 ? min(window, windowMost - window) : 0
    window += growth
    defer { unreturned = 0 }
    return UInt32(clamping: unreturned + growth)
  }

  /// The credit that a window frame grants.
  static func credit(_ payload: ByteBuffer) throws(SegueError) -> Int {
    guard payload.readableBytes == 4, let more: UInt32 = payload.getInteger(at: payload.readerIndex), more > 0,
      more <= Limits.channelCredit
    else { throw SegueError(.protocolViolation, "A malformed window.") }
    return Int(more)
  }

  /// Adds credit that the receiver has granted.
  mutating func granted(_ more: Int) throws(SegueError) {
    guard credit + more <= Limits.channelCredit else {
      throw SegueError(.protocolViolation, "A window that is too large.")
    }
    credit += more
  }
}
