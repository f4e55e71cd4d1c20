import SegueCore

/// The bounds of one `Link`. Each starts as `Limits` says; tests shorten them.
public struct LinkSettings: Sendable {
  /// A connection's time to finish TLS, and again to its welcome, in milliseconds.
  public var handshakeTime = Limits.handshakeTime
  /// Without a sign of life for so long, one side or the other gives one, in milliseconds.
  public var beatTime = Limits.beatTime
  /// Without a sign of life for so long the peer is lost, in milliseconds.
  public var silenceTime = Limits.silenceTime
  /// How long after something was sent a ping follows where nothing was heard, in milliseconds.
  public var pingTime = Limits.pingTime
  /// Time in which a ping must be followed by any byte of the peer's, in milliseconds.
  public var pongTime = Limits.pongTime
  /// Time between two dials of a peer at first, in milliseconds.
  public var dialTime = Limits.dialTime
  /// Time between two dials of a peer at most, in milliseconds.
  public var dialTimeMaximum = Limits.dialTimeMaximum
  /// How long after a loss dials stay `dialTime` apart, in milliseconds (X10).
  public var eagerTime = Limits.eagerTime
  /// A link that lasted so long is dialled anew at once when it ends, in milliseconds.
  public var lastingTime = Limits.lastingTime
  /// A dial's time until TCP is connected, in milliseconds.
  public var connectTime = Limits.connectTime
  /// How long the device that chooses waits for a sign of life of the link it has, when the peer dials again.
  public var duplicateTime = Limits.duplicateTime
  /// How long the log says nothing of links to a new peer that do not come up, in milliseconds.
  public var newcomerTime = Limits.newcomerTime
  /// How long one secret signs the nonces of throw-away certificates, in milliseconds.
  public var nonceTime = Limits.nonceTime
  /// How long a source that failed `failures` times is limited to one connection, in milliseconds.
  public var penaltyTime = Limits.penaltyTime
  /// Failures before a source's penalty.
  public var failures = Limits.strangerFailures
  /// Unauthenticated connections from one source.
  public var strangersPerSource = Limits.strangersPerSource
  /// Unauthenticated connections in all.
  public var strangers = Limits.strangers
  /// Bytes that one channel's receiver lets the sender be ahead.
  public var window = Limits.channelWindow
  /// To what a channel's window grows. That of control messages stays as it is.
  public var windowMost = Limits.channelWindowMost
  /// What may come at once of what hardly any credit bounds, and in each millisecond later (`Toll`).
  public var tollAtOnce = Limits.tollAtOnce
  public var tollPerMillisecond = Limits.tollPerMillisecond
  /// Channels that each side of a link may have opened at once.
  public var channels = Limits.channelsPerPeer
  /// Bytes that may wait to be sent on one channel.
  public var queue = Limits.queuedBytes
  /// Peers.
  public var peers = Limits.devices

  /// The settings that `Limits` gives.
  public init() {}
}
