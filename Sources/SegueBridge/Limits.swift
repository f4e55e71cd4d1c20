import SegueCore

extension Limits {
  // MARK: segue-bridge
  /// Processes of one program that are known at once.
  public static let bridgePlayers = 32
  /// Bytes of an address or a text that a program has said.
  public static let bridgeText = 4096
  /// Readings of a player's position after which a film stays where it is.
  public static let bridgeSeeks = 30
  /// Questions to a program that has just started, until it counts as silent.
  public static let bridgeGreetings = 4
  /// A program's time to answer, in milliseconds.
  public static let bridgeAnswerTime: UInt64 = 1_000
  /// The time between two readings while something is being opened.
  public static let bridgeReadTime: UInt64 = 100
  /// A program's time to open something at its place, and before that its time to start.
  public static let bridgeOpenTime: UInt64 = 10_000
  public static let bridgeLaunchTime: UInt64 = 15_000
  /// The time of a second process, until it gives way to the one that runs.
  public static let bridgeYieldTime: UInt64 = 2_000
}
