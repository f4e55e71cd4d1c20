import SegueCore

/// The bounds of one `Link`. Each starts as `Limits` says; tests shorten them.
public struct LinkSettings: Sendable {
  /// A connection's time to finish TLS, and then the same time to send its welcome, in milliseconds.
  public var handshakeTime = Limits.handshakeTime
  /// The silence after which one side or the other gives a sign of life, in milliseconds.
  public var heartbeatTime = Limits.heartbeatTime
  /// The silence after which the peer is lost, in milliseconds.
  public var silenceTime = Limits.silenceTime
  /// How long after sending a ping follows if nothing was received, in milliseconds.
  public var pingTime = Limits.pingTime
  /// The time in which any byte of the peer must follow a ping, in milliseconds.
  public var pongTime = Limits.pongTime
  /// Time between two dials of a peer at first, in milliseconds.
  public var dialTime = Limits.dialTime
  /// Time between two dials of a peer at most, in milliseconds.
  public var dialTimeMaximum = Limits.dialTimeMaximum
  /// How long after a loss dials stay `dialTime` apart, in milliseconds (X10).
  public var eagerTime = Limits.eagerTime
  /// How long a link must have lasted to be dialled anew at once when it ends, in milliseconds.
  public var lastingTime = Limits.lastingTime
  /// A dial's time until TCP is connected, in milliseconds.
  public var connectTime = Limits.connectTime
  /// How long the device that chooses waits for a sign of life on its current link, when the peer dials again.
  public var duplicateTime = Limits.duplicateTime
  /// How long the log omits links to a new peer that do not come up, in milliseconds.
  public var newcomerTime = Limits.newcomerTime
  /// How long one secret signs the nonces of ephemeral certificates, in milliseconds.
  public var nonceTime = Limits.nonceTime
  /// How long a source that failed `failures` times is limited to one connection, in milliseconds.
  public var penaltyTime = Limits.penaltyTime
  /// Failures before a source's penalty.
  public var failures = Limits.unauthenticatedFailures
  /// Unauthenticated connections from one source.
  public var unauthenticatedPerSource = Limits.unauthenticatedPerSource
  /// Unauthenticated connections in all.
  public var unauthenticatedConnections = Limits.unauthenticatedConnections
  /// How many bytes one channel's sender may be ahead of its receiver.
  public var window = Limits.channelWindow
  /// The size to which a channel's window grows. The window of control messages does not grow.
  public var windowMost = Limits.channelWindowMost
  /// The charge (`ChargeLimit`) of traffic without credit that may come at once, and in each millisecond later.
  public var chargeAtOnce = Limits.chargeAtOnce
  public var chargePerMillisecond = Limits.chargePerMillisecond
  /// Channels that each side of a link may have opened at once.
  public var channels = Limits.channelsPerPeer
  /// Bytes that may wait to be sent on one channel.
  public var queue = Limits.queuedBytes
  /// Peers.
  public var peers = Limits.devices

  /// The settings that `Limits` gives.
  public init() {}
}
