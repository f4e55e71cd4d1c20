import SegueCore

extension Limits {
  /// Containers inside containers in a bus message.
  public static let messageDepth = valueDepth
  /// Values in one bus message, containers and keys included; the bytes of an `ay` count as one.
  public static let messageValues = 65_536
  /// Bytes in one bus message that is made here. Far below the 128 MiB at which the other side hangs up.
  public static let messageLength = 32 * 1024 * 1024
  /// Bytes of received messages that may be alive on one connection before no more are read from it. This only holds
  /// the sender back: the size of one message is not limited, because libdbus hangs up on a larger one.
  static let receivedBytes = 4 * 1024 * 1024
  /// Descriptors of received messages that may be alive on one connection before no more are read from it.
  static let receivedDescriptors = 64
  /// Messages that one connection hands out in one turn of the loop, so that others have theirs.
  static let messagesPerTurn = 64
}
