import SegueCore

extension Limits {
  // MARK: The daemon's callers
  /// Calls that one connection may have pending.
  public static let pendingCalls = 64
  /// Connections at the private door that are told why there is no room for them.
  public static let doorRefusals = 8
  /// Bytes at the private door that a caller may leave untaken before its next call waits, and behind which no more is
  /// read of it. libdbus counts what is sent of a message, which is a fraction of what it takes to keep one: that is
  /// some 400 bytes for 24.
  public static let untakenBytes = 16 * 1024
  /// How long such a call waits before its caller is let go.
  public static let untakenTime: UInt64 = callTime
  /// Descriptors in one bus message.
  public static let descriptorsPerMessage = 4
  /// Containers inside containers in a bus message.
  public static let messageDepth = valueDepth
  /// Values in one bus message, containers and keys included; the bytes of an `ay` count as one. Messages that may wait
  /// for a connection's authentication, too.
  public static let messageValues = 65_536
  /// Bytes in one bus message that is made here. Far below the 128 MiB at which the other side hangs up.
  public static let messageLength = 32 * 1024 * 1024
  /// Bytes of received messages that may be alive on one connection before no more are read from it. This only holds
  /// the sender back. The size of one message is limited at the door alone: libdbus hangs up on a larger one, and a bus
  /// that was lost for it would be lost for everybody.
  public static let receivedBytes = 4 * 1024 * 1024
  /// Descriptors of received messages that may be alive on one connection before no more are read from it.
  public static let receivedDescriptors = 64
  /// Messages that one connection hands out in one turn of the loop, so that others have theirs.
  public static let messagesPerTurn = 64
  /// Ready descriptors that one turn of the loop looks at; the others stay ready.
  public static let descriptorsPerTurn = 64

  // MARK: The link
  /// An unauthenticated peer's time to finish TLS, and again to its first valid frame.
  public static let handshakeTime: UInt64 = 5_000
  /// How long a listener rests when the process has no descriptor left.
  public static let acceptPause: UInt64 = 200

  // MARK: Programs
  /// Symbolic links that lead to the file of a program, as many as the kernel follows.
  public static let followedLinks = 40
}
