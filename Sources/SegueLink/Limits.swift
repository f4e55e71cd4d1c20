import SegueCore

extension Limits {
  // MARK: The link
  /// How long a device that was added here may take to add this one before the log says that it does not, in
  /// milliseconds.
  public static let newcomerTime: UInt64 = 600_000
  /// How long one secret signs the nonces of ephemeral certificates, how often nonces of one secret, or one that was
  /// published, are good, and for how many devices a proof has a token.
  public static let nonceTime: UInt64 = 3_600_000
  public static let nonceUses = 1_024
  public static let proofTokens = 12
  /// Sources of failed connections that are remembered, failures before such a source's penalty, and how long it is
  /// limited to one connection then.
  public static let unauthenticatedSources = 256
  public static let unauthenticatedFailures = 5
  public static let penaltyTime: UInt64 = 60_000
  /// Logins of one peer: so many at once, then one in this time.
  public static let loginBurst: UInt64 = 10
  public static let loginInterval: UInt64 = 6_000
  /// Connections of one peer that have proved its key and are not up: its link may be dead, and have been dialled anew.
  public static let linksPerPeer = 2
  /// Connections that are over, and whose sockets wait for the other side's goodbye.
  public static let closingConnections = 16
  /// Connections that a listener takes in one turn of the loop, and handshakes that are served in it.
  public static let acceptsPerTurn = 4
  public static let handshakesPerTurn = 1
  /// Bytes of one device that one turn of the loop takes.
  public static let linkBytesPerTurn = 256 * 1024
  /// The charge for a frame without credit besides its bytes, and the least charge for a frame of data.
  public static let freeFrameCharge = 4 * 1024
  public static let dataFrameCharge = 1024
  /// The bytes that TLS may add to each frame; the number of carried bytes for which it may add one more; and the charge
  /// for each byte beyond. TLS adds 22 bytes to each record, and the longest record has 16 KiB.
  public static let sealingPerFrame = 32
  public static let sealingPart = 512
  public static let sealingCharge = 128
  /// How long a record of TLS is at most, with its head (RFC 8446, 5.2).
  public static let sealedRecordLength = 5 + 16 * 1024 + 256
  /// How much of that may come of a device at once, and in each millisecond later, before it is not read for a while.
  public static let chargeAtOnce = 16 * 1024 * 1024
  public static let chargePerMillisecond = 64 * 1024
  /// Names of hosts that the system is asked for at once.
  public static let nameLookups = 8
  /// Ticks of the links' heartbeats in a time; beyond that all links send at once, to tick together, if they have not done
  /// so for another time.
  public static let heartbeatTicks = 7
  public static let heartbeatWindow: UInt64 = 22_000
  public static let gatheringTime: UInt64 = 60_000
  /// Bytes that one channel's receiver lets the sender be ahead, at first, and at most, where its owner keeps up.
  public static let channelWindow = 256 * 1024
  public static let channelWindowMost = 1024 * 1024
  /// The portion in which credit for control messages and opens is returned to a sender that may be short of it.
  public static let pacedCredit = 2 * 1024
  /// Bytes that a peer may let us be ahead, however much it grants.
  public static let channelCredit = 1 << 30
  /// Answers that may wait while the peer does not read; a peer that asks and never reads ends there.
  public static let channelAnswers = 256
  /// Channels that one peer may have open.
  public static let channelsPerPeer = 32
  /// Dials of one paired device that are under way at once.
  public static let dialsAtOnce = 2
  /// A link that lasted so long is dialled anew at once when it ends; a shorter one is as a dial that failed.
  public static let lastingTime: UInt64 = 10_000
  /// How long after a loss dials stay `dialTime` apart (X10).
  public static let eagerTime: UInt64 = 60_000
  /// A dial's time until TCP is connected. Below two dial times, so that each second sends a new SYN into a network
  /// that may just have come back, while at most two dials are under way.
  public static let connectTime: UInt64 = dialTime * 2 - 100
  /// How long the device that chooses waits for a sign of life of the link it has, when the peer dials again.
  public static let duplicateTime: UInt64 = 1_000

  // MARK: Files
  /// Lines that one cause may log in a minute.
  public static let logLinesPerMinute = 10
  /// Causes of lines that are counted at once; some are a device's own.
  public static let logCauses = 2048
}
